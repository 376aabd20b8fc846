// Lines of code with line numbers, syntax colours and marks. A line is coloured by itself: the report holds only the
// lines near a path, so a text over several lines may be coloured as code.

const WORDS = {
  python: "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
  javascript:
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in instanceof interface let namespace new of private protected public readonly return set static super switch this throw try type typeof var void while with yield",
  go: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
};
const CONSTANTS = "True False None true false null undefined nil iota NaN self cls";
const STRINGS = /(?:[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)))|[rbfuRBFU]{0,2}(?:"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))|`(?:[^`\\]|\\.)*(?:`|$)/;
const LANGUAGES = {
  python: { words: WORDS.python, comment: "#" },
  javascript: { words: WORDS.javascript, comment: "//" },
  go: { words: WORDS.go, comment: "//" },
};
for (const language of Object.values(LANGUAGES)) {
  const comment = language.comment === "#" ? /#.*$/ : /\/\/.*$|\/\*[^]*?(?:\*\/|$)/;
  language.keywords = new Set(language.words.split(" "));
  language.token = new RegExp(`(?<comment>${comment.source})|(?<string>${STRINGS.source})|(?<literal>\\b\\d[\\w.]*)|(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)`, "gu");
}
const LITERALS = new Set(CONSTANTS.split(" "));
const SUFFIXES = { py: "python", pyi: "python", js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", ts: "javascript", tsx: "javascript", mts: "javascript", cts: "javascript", go: "go" };
const MAX_COLOURED = 1000; // characters of a line

function languageOf(path, rule) {
  return LANGUAGES[SUFFIXES[path.slice(path.lastIndexOf(".") + 1)] || (rule || "").split("/")[0]];
}

// [start, end, class] of each coloured token, in UTF-16 units.
function tokens(text, language) {
  if (!language || text.length > MAX_COLOURED) return [];
  const found = [];
  for (const match of text.matchAll(language.token)) {
    const groups = match.groups;
    const kind = groups.comment !== undefined ? "comment" : groups.string !== undefined ? "string" : groups.literal !== undefined || LITERALS.has(match[0]) ? "literal" : language.keywords.has(match[0]) ? "keyword" : "";
    if (kind) found.push([match.index, match.index + match[0].length, kind]);
  }
  return found;
}

// UTF-16 index of the code point ``count``.
function unitsOf(text, count) {
  let units = 0;
  for (; count > 0 && units < text.length; count--) units += text.codePointAt(units) > 0xffff ? 2 : 1;
  return units;
}

// ``text`` coloured; ``marks``: [start, end, class] in code points. The longest mark is outermost.
function coloured(text, language, marks) {
  const spans = marks.map(([start, end, kind]) => [unitsOf(text, start), Math.max(unitsOf(text, end), unitsOf(text, start + 1)), kind]);
  const colours = tokens(text, language);
  const cuts = new Set([0, text.length]);
  for (const [start, end] of [...spans, ...colours]) cuts.add(start).add(end);
  const edges = [...cuts].filter((at) => at <= text.length).sort((a, b) => a - b);
  const parts = [];
  let at = 0;
  for (let index = 0; index + 1 < edges.length; index++) {
    const [start, end] = [edges[index], edges[index + 1]];
    while (at < colours.length && colours[at][1] <= start) at++;
    const colour = at < colours.length && colours[at][0] <= start ? colours[at][2] : "";
    const mark = spans.filter(([from, to]) => from <= start && end <= to).sort((a, b) => a[1] - a[0] - (b[1] - b[0]))[0];
    const piece = text.slice(start, end);
    const inner = colour ? el("span." + colour, null, piece) : piece;
    parts.push(mark ? el("mark" + (mark[2] ? "." + mark[2] : ""), null, inner) : inner);
  }
  return parts;
}

function lineOfCode(number, text, language, marks) {
  return el("div.code" + (marks.length ? ".on" : ""), null, el("span.gutter", null, number), el("span.text", null, coloured(text, language, marks)));
}
