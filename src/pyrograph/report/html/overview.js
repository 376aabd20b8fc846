// The overview: findings by severity, rule, entry point and directory, and what the scan says about itself.

const MOST = 15; // rows of a table

function showOverview() {
  const detail = byId("detail");
  const tables = FACETS.filter((facet) => facet.key !== "confidence").map(tableOf);
  detail.replaceChildren(
    backButton(),
    el("h2", null, DATA.findings.length ? `${plural(DATA.findings.length, "finding")} in ${plural(new Set(FINDINGS.map((f) => f.file)).size, "file")}` : "No findings"),
    el("div.facts", null, DATA.scanned.map((line) => el("span", null, line))),
    el("div.tables", null, DATA.findings.length ? tables : []),
    ...listOf("Not shown in this report", DATA.hidden),
    ...listOf("Notes", DATA.notes),
    ...problems(),
  );
  detail.scrollTop = 0;
}

function tableOf(facet) {
  const groups = new Map();
  for (const finding of FINDINGS) {
    const value = facet.of(finding);
    if (!groups.has(value)) groups.set(value, { value, total: 0, by: new Map() });
    const group = groups.get(value);
    group.total += 1;
    group.by.set(finding.severity, (group.by.get(finding.severity) || 0) + 1);
  }
  const rank = facet.order ? (a, b) => facet.order.indexOf(a.value) - facet.order.indexOf(b.value) : (a, b) => b.total - a.total || byText(a.value, b.value);
  const rows = [...groups.values()].sort(rank);
  const most = Math.max(...rows.map((row) => row.total));
  const body = rows.slice(0, MOST).map((row) =>
    el("tr", null,
      el("th", { scope: "row" }, el("button", { type: "button", onclick: () => choose(facet.key, row.value) }, row.value)),
      el("td.number", null, row.total.toLocaleString("en")),
      el("td.share", null, meter(row, most)),
    ),
  );
  const rest = rows.length - body.length;
  return el("section", null,
    el("h3", null, `By ${facet.title.toLowerCase()}`),
    el("table", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, facet.title), el("th.number", { scope: "col" }, "Findings"), el("td", null))),
      el("tbody", null, body),
    ),
    rest > 0 ? el("p.faint", null, `and ${rest.toLocaleString("en")} more`) : null,
  );
}

function meter(row, most) {
  const label = SEVERITIES.filter((severity) => row.by.has(severity)).map((severity) => `${row.by.get(severity)} ${severity}`).join(", ");
  const bars = SEVERITIES.filter((severity) => row.by.has(severity)).map((severity) => {
    const bar = el("i." + severity, null);
    bar.style.width = `${(100 * row.by.get(severity)) / most}%`;
    return bar;
  });
  return el("div.meter", { role: "img", "aria-label": label, title: label }, bars);
}

function listOf(title, lines) {
  return lines.length ? [el("h3", null, title), el("ul.plain", null, lines.map((line) => el("li", null, withCode(line))))] : [];
}

function problems() {
  if (!DATA.problems.length) return [];
  const rows = DATA.problems.map(([kind, where, message]) =>
    el("tr", null, el("td", null, kind), el("td", null, el("code", null, where)), el("td", null, withCode(message))),
  );
  const head = el("tr", null, ["Kind", "Place", "Problem"].map((name) => el("th", { scope: "col" }, name)));
  const title = `${plural(DATA.numProblems, "problem")}${DATA.numProblems > rows.length ? `, the first ${rows.length}` : ""}`;
  return [el("h3", null, title), DATA.cut ? el("p", null, DATA.cut) : null, el("div.wide.problems", null, el("table", null, el("thead", null, head), el("tbody", null, rows)))].filter(Boolean);
}
