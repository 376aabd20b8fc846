// One finding: what, where, the picture, the path as code, the other sources, the help, and lines to copy.

const CHECKS = 3; // checks of a path that are open

function showFinding(finding) {
  const traces = tracesOf(finding);
  const trace = traces[Math.min(state.trace, traces.length - 1)];
  const detail = byId("detail");
  detail.replaceChildren(
    backButton(),
    ...headOf(finding),
    el("h3", null, "Path"),
    ...sourcesOf(finding, traces),
    picture(trace, (index) => goToStep(index)),
    ...pathOf(finding, trace),
    ...helpOf(finding),
    ...linesOf(finding),
  );
  detail.scrollTop = 0;
}

// In a narrow window, a finding or the overview takes the place of the list.
function backButton() {
  return el("button.back", { type: "button", onclick: () => select(null, true) }, "← Findings");
}

function headOf(finding) {
  const rule = DATA.rules[finding.rule];
  const weaknesses = rule.cwe.map((number) => el("a", { href: `https://cwe.mitre.org/data/definitions/${number}.html`, rel: "noreferrer noopener" }, `CWE-${number}`));
  const facts = [
    el("span.severity." + finding.severity, null, el("i.dot", { "aria-hidden": "true" }), finding.severity),
    el("span", null, finding.confidence + " confidence" + (finding.doubt ? ": " + finding.doubt : "")),
    el("span", null, el("code", null, finding.rule)),
    ...weaknesses,
    el("span", null, el("code", null, finding.place), finding.function ? [" in ", el("code", null, finding.function)] : null),
    el("a", { href: "#" + finding.fingerprint, title: "The same finding has this address in later reports" }, "link"),
  ];
  return [el("h2", null, withCode(finding.message)), el("div.facts", null, facts)];
}

function sourcesOf(finding, traces) {
  const more = finding.sources - traces.length + finding.calls;
  const shown = traces[state.trace] ?? traces[0];
  const request = shown.request ? [el("p.faint", null, "By ", withCode(shown.request), ".")] : [];
  request.push(...checksOf(shown));
  if (traces.length < 2 && more <= 0) return [el("p.faint", null, `From ${traces[0].source}.`), ...request];
  const items = traces.map((trace, index) => {
    const start = trace.steps[0];
    const place = start ? ` at ${DATA.files[start.file].path}:${start.line}` : "";
    const assumed = trace.steps.some((step) => step.kind === "assumed") ? ", assumed" : "";
    const into = finding.arguments.length ? ` into \`${trace.argument ? finding.arguments[trace.argument - 1] : finding.code}\`` : "";
    const show = () => { state.trace = index; state.step = -1; showFinding(finding); };
    return el("li", null, el("button", { type: "button", "aria-pressed": String(index === state.trace), onclick: show }, withCode(trace.source + place + assumed + into)));
  });
  const note = `Reached from ${plural(finding.sources, "source")}${more > 0 ? `; ${plural(more, "further one")} not listed (--max-sources lists more)` : ""}. Choose one to see its path:`;
  return [el("p.faint", null, note), el("ul.sources", { "aria-label": "Sources" }, items), ...request];
}

// The checks that a path passes: all are in the page, the first ones are open.
function checksOf(trace) {
  const items = trace.checks.map((words) => el("li", null, withCode(words)));
  if (!items.length) return [];
  const rest = items.splice(CHECKS);
  const head = el("p.faint", null, `Behind ${plural(items.length + rest.length, "check")}:`);
  const more = rest.length ? [el("details.checks", null, el("summary", null, `${rest.length} more`), el("ul", null, rest))] : [];
  return [head, el("ul.checks", { "aria-label": "Checks" }, items), ...more];
}

function helpOf(finding) {
  const help = DATA.rules[finding.rule].help;
  return help ? [prose(help)] : [];
}

function linesOf(finding) {
  const language = languageOf(finding.path, finding.rule);
  const opener = language ? language.comment : "//";
  const name = finding.rule.split("/").at(-1);
  return [
    el("h3", null, "If it does no harm"),
    copyable("Suppress it: a comment above the statement, or at the end of one of its lines", `${opener} pyrograph: ignore[${name}] REASON`),
    copyable(finding.arguments.length ? "Or accept it in the baseline: a line for each argument" : "Or accept it in the baseline: a line of its findings", finding.baseline),
    copyable("Fingerprint, which survives changes elsewhere in the file", finding.fingerprint),
  ];
}

function goToStep(index) {
  const notes = [...document.querySelectorAll("#detail .note")];
  if (!notes.length) return;
  state.step = Math.max(0, Math.min(index, notes.length - 1));
  for (const note of notes) note.classList.toggle("here", Number(note.dataset.step) === state.step);
  for (const [at, circle] of document.querySelectorAll("#detail .picture .step").entries()) circle.classList.toggle("here", at === state.step);
  notes[state.step].scrollIntoView({ block: "center" });
}
