// Elements and text. Everything from the report becomes text nodes and attributes here; no string is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

// Control characters and those that reorder text, as escapes; a tab becomes four spaces.
function shown(text) {
  return text.replace(HARMFUL, (char) => {
    if (char === "\t") return "    ";
    const code = char.codePointAt(0);
    if (code < 256) return "\\x" + code.toString(16).padStart(2, "0");
    return code < 65536 ? "\\u" + code.toString(16).padStart(4, "0") : "\\u{" + code.toString(16) + "}";
  });
}

// el("p.faint", {id: "x", onclick: f}, "text", child): attributes that are functions are listeners.
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  return filled(document.createElement(tag), classes, attributes, children);
}

function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  return filled(document.createElementNS(SVG, tag), classes, attributes, children);
}

function filled(element, classes, attributes, children) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : shown(String(child)));
  }
  return element;
}

const byId = (id) => document.getElementById(id);
const plural = (count, noun) => count.toLocaleString("en") + " " + noun + (count === 1 ? "" : "s");

// Text with `code` in it: what stands between backticks becomes <code>.
function withCode(text) {
  return text.split("`").map((part, index) => (index % 2 ? el("code", null, part) : part));
}

// Lines as text and line breaks: a line feed alone would be shown as an escape.
const lines = (text) => text.split("\n").flatMap((line, index) => (index ? [document.createElement("br"), line] : [line]));

function copyable(label, text) {
  const button = el("button", { type: "button", "aria-label": "Copy: " + label, onclick: () => copy(text, button) }, "Copy");
  return el("div.copy", null, el("p", null, label), el("pre", { tabindex: "0" }, el("code", null, lines(text))), button);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea.hidden", null);
    field.value = text; // as it is, not as it is shown
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1200);
}
