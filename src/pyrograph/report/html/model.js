// The report as objects, and the findings that the filters and the search let through.

const DATA = JSON.parse(byId("data").textContent);
const SEVERITIES = ["critical", "high", "medium", "low"];
const CONFIDENCES = ["high", "medium", "low"];

function stepOf([file, line, column, endColumn, kind, depth, message, excerpt]) {
  return { file, line, column, endColumn, kind: DATA.kinds[kind], depth, message: DATA.texts[message], excerpt };
}

const FINDINGS = DATA.findings.map((each, index) => {
  const path = DATA.files[each.file].path;
  const slash = path.lastIndexOf("/");
  return {
    ...each,
    index,
    path,
    directory: slash < 0 ? "." : path.slice(0, slash),
    place: path + ":" + each.line + ":" + each.column,
    words: [each.message, each.rule, path + ":" + each.line, each.function, each.fingerprint, each.code].join("\n").toLowerCase(),
  };
});
const BY_FINGERPRINT = new Map(FINDINGS.map((finding) => [finding.fingerprint, finding]));

// The paths of a finding as objects: made when it is shown.
const tracesOf = (finding) => finding.traces.map(([source, steps, argument, request, checks]) => ({ source: DATA.texts[source], steps: steps.map(stepOf), argument, request: DATA.texts[request], checks: checks.map((number) => DATA.texts[number]) }));

const FACETS = [
  { key: "severity", title: "Severity", of: (f) => f.severity, order: SEVERITIES },
  { key: "confidence", title: "Confidence", of: (f) => f.confidence, order: CONFIDENCES },
  { key: "rule", title: "Rule", of: (f) => f.rule },
  { key: "entry", title: "Entry point", of: (f) => DATA.texts[f.entry], isPath: true },
  { key: "directory", title: "Directory", of: (f) => f.directory, isPath: true },
];

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const bySeverity = (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || CONFIDENCES.indexOf(a.confidence) - CONFIDENCES.indexOf(b.confidence);
const SORTS = {
  severity: ["severity", (a, b) => bySeverity(a, b) || a.index - b.index],
  place: ["place", (a, b) => a.index - b.index],
  rule: ["rule", (a, b) => byText(a.rule, b.rule) || bySeverity(a, b) || a.index - b.index],
  shortest: ["shortest path", (a, b) => a.steps - b.steps || bySeverity(a, b) || a.index - b.index],
  sources: ["most sources", (a, b) => b.sources - a.sources || bySeverity(a, b) || a.index - b.index],
};

const state = {
  query: "",
  sort: "severity",
  chosen: new Map(FACETS.map((facet) => [facet.key, new Set()])),
  visible: [], // findings that pass, in order
  current: null, // the finding that is shown; null: the overview
  trace: 0,
  step: -1,
};

const passes = (finding, except) =>
  FACETS.every((facet) => facet.key === except || !state.chosen.get(facet.key).size || state.chosen.get(facet.key).has(facet.of(finding)));

function matching() {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length ? FINDINGS.filter((finding) => words.every((word) => finding.words.includes(word))) : FINDINGS;
}

// Values of a facet with the numbers of findings that choosing them would show.
function countsOf(facet, found) {
  const counts = new Map();
  for (const finding of FINDINGS) counts.set(facet.of(finding), 0);
  for (const finding of found) if (passes(finding, facet.key)) counts.set(facet.of(finding), counts.get(facet.of(finding)) + 1);
  const rank = facet.order ? ([a], [b]) => facet.order.indexOf(a) - facet.order.indexOf(b) : ([a, x], [b, y]) => y - x || byText(a, b);
  return [...counts].sort(rank);
}

const isFiltered = () => state.query !== "" || [...state.chosen.values()].some((set) => set.size);
