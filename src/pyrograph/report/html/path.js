// The steps of a path as code: a block for each stretch of steps in one file, each step under its line.

const CONTEXT = 2; // lines above and below a step
const NEAR = 3; // lines between two steps that are shown instead of a gap

// Steps that follow each other in one file and at one depth, downwards.
function blocksOf(steps) {
  const blocks = [];
  for (const [index, step] of steps.entries()) {
    const last = blocks.at(-1);
    const before = last && last.at(-1)[1];
    if (before && before.file === step.file && before.depth === step.depth && before.line <= step.line && !before.excerpt && !step.excerpt) last.push([index, step]);
    else blocks.push([[index, step]]);
  }
  return blocks;
}

function pathOf(finding, trace) {
  return blocksOf(trace.steps).map((block) => blockOf(finding, block));
}

function blockOf(finding, block) {
  const first = block[0][1];
  const file = DATA.files[first.file];
  const language = languageOf(file.path, finding.rule);
  const lines = el("div.lines", { tabindex: "0", role: "group", "aria-label": shown("Code of " + file.path) });
  const wanted = [...new Set(block.map(([, step]) => step.line))];
  const textOf = (number) => file.lines[number];
  let shownTo = 0;
  for (const [at, number] of wanted.entries()) {
    const from = Math.max(number - CONTEXT, shownTo + 1);
    if (shownTo && from > shownTo + 1 + NEAR) lines.append(el("div.gap", { "aria-hidden": "true" }, "⋯"));
    const here = block.filter(([, step]) => step.line === number);
    const next = wanted[at + 1] ?? Infinity;
    const start = shownTo && from <= shownTo + 1 + NEAR ? shownTo + 1 : from;
    for (let line = start; line < number; line++) addLine(lines, line, textOf(line), language, []);
    const excerpt = here[0][1].excerpt;
    const [text, offset] = excerpt || [textOf(number), 0];
    addLine(lines, number, text, language, here.map(([, step]) => [step.column - 1 - offset, step.endColumn - 1 - offset, markOf(step)]));
    for (const [index, step] of here) lines.append(noteOf(index, step));
    shownTo = number;
    for (let line = number + 1; line <= number + CONTEXT && line < next && at === wanted.length - 1; line++) {
      addLine(lines, line, textOf(line), language, []);
      shownTo = line;
    }
  }
  return el("div.block" + (first.depth ? ".called" : ""), null, el("div.file", null, file.path), lines);
}

function addLine(lines, number, text, language, marks) {
  if (text !== undefined) lines.append(lineOfCode(number, text, language, marks));
  else if (marks.length) lines.append(lineOfCode(number, "(source not available)", undefined, []));
}

const markOf = (step) => (step.kind === "source" || step.kind === "sink" ? step.kind : "");

function noteOf(index, step) {
  const kind = ["source", "sink", "assumed"].includes(step.kind) ? "." + step.kind : "";
  return el("div.note" + kind, { "data-step": index }, el("span.number", null, index + 1), el("p", null, withCode(step.message)));
}
