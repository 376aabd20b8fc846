// The help of a rule: the part of Markdown that it uses, as elements. Anything else stays text.

function prose(markdown) {
  const box = el("div.prose", null);
  let list = null;
  const fenced = markdown.split(/^(?:```|~~~).*$/m);
  for (const [index, part] of fenced.entries()) {
    if (index % 2) {
      box.append(el("pre", { tabindex: "0" }, el("code", null, lines(part.replace(/^\n|\n$/g, "")))));
      continue;
    }
    for (const paragraph of part.split(/\n\s*\n/)) {
      const text = paragraph.trim();
      const heading = /^(#{1,4}) (.*)$/.exec(text);
      if (!text) continue;
      if (heading) box.append(el(heading[1].length > 2 ? "h4" : "h3", null, inline(heading[2])));
      else if (/^[-*] /.test(text)) {
        list = el("ul", null);
        for (const item of text.split(/\n(?=[-*] )/)) list.append(el("li", null, inline(item.slice(2))));
        box.append(list);
      } else box.append(el("p", null, inline(text)));
    }
  }
  return box;
}

function inline(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(/(`+)(.+?)\1|\*\*(.+?)\*\*|\[([^\]]+)\]\((https?:\/\/[^)\s]+)\)/gs)) {
    parts.push(flowing(text.slice(at, match.index)));
    if (match[1]) parts.push(el("code", null, flowing(match[2])));
    else if (match[3]) parts.push(el("strong", null, flowing(match[3])));
    else parts.push(el("a", { href: match[5], rel: "noreferrer noopener" }, match[4]));
    at = match.index + match[0].length;
  }
  parts.push(flowing(text.slice(at)));
  return parts;
}

const flowing = (text) => text.replace(/\s*\n\s*/g, " ");
