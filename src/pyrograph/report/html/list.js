// The list of findings and the filters. Only the rows in sight exist, so 10,000 findings cost as much as 20.

const ROW = 47; // --row in style.css
const SPARE = 6; // rows above and below those in sight
const LISTED = 10; // values of a filter that are listed at first
const MAX_HEIGHT = 15_000_000; // browsers stop at some 17 million; below, rows are reached by keys and filters alone
const opened = new Set(); // filters that list all values

function update() {
  const found = matching();
  state.visible = found.filter((finding) => passes(finding)).sort(SORTS[state.sort][1]);
  byId("count").textContent = isFiltered() ? `${state.visible.length.toLocaleString("en")} of ${plural(FINDINGS.length, "finding")}` : plural(FINDINGS.length, "finding");
  byId("clear").hidden = !isFiltered();
  byId("facets").replaceChildren(...FACETS.flatMap((facet) => facetOf(facet, found)));
  byId("rows").scrollTop = 0;
  drawRows();
}

function facetOf(facet, found) {
  const chosen = state.chosen.get(facet.key);
  const all = countsOf(facet, found);
  if (all.length < 2 && !chosen.size) return [];
  const listed = opened.has(facet.key) ? all : all.filter(([value], index) => index < LISTED || chosen.has(value));
  const items = listed.map(([value, count]) =>
    el("li" + (facet.isPath ? ".path" : ""), null,
      el("button" + (count ? "" : ".empty"), { type: "button", title: shown(value), "aria-pressed": String(chosen.has(value)), onclick: () => toggle(facet.key, value) },
        facet.key === "severity" ? el("span." + value, { "aria-hidden": "true" }, el("i.dot", null)) : null,
        el("span.name", null, el("bdi", null, value)),
        el("span.number", null, count.toLocaleString("en")),
      ),
    ),
  );
  const open = () => { opened.has(facet.key) ? opened.delete(facet.key) : opened.add(facet.key); update(); };
  const more = all.length > LISTED ? el("button.more", { type: "button", onclick: open }, opened.has(facet.key) ? "Show fewer" : `Show all ${all.length.toLocaleString("en")}`) : null;
  return [el("h2", null, facet.title), el("ul", null, items), more].filter(Boolean);
}

function toggle(key, value) {
  const chosen = state.chosen.get(key);
  if (!chosen.delete(value)) chosen.add(value);
  refocus(() => update(), key, value);
}

// The button that was pressed is made anew: give it the focus back.
function refocus(change, key, value) {
  const title = shown(value);
  const index = FACETS.findIndex((facet) => facet.key === key);
  change();
  const heading = [...document.querySelectorAll("#facets h2")].find((each) => each.textContent === FACETS[index].title);
  const button = heading && [...heading.nextElementSibling.querySelectorAll("button")].find((each) => each.title === title);
  if (button) button.focus({ preventScroll: true });
}

function choose(key, value) {
  for (const set of state.chosen.values()) set.clear();
  state.chosen.get(key).add(value);
  update();
  if (state.visible.length) select(state.visible[0], true);
}

function clearFilters() {
  for (const set of state.chosen.values()) set.clear();
  state.query = byId("query").value = "";
  update();
  if (state.current) reveal(state.visible.indexOf(state.current));
}

function drawRows() {
  const rows = byId("rows");
  const height = Math.min(state.visible.length * ROW, MAX_HEIGHT);
  const first = Math.max(0, Math.floor(rows.scrollTop / ROW) - SPARE);
  const last = Math.min(state.visible.length, Math.ceil((rows.scrollTop + rows.clientHeight) / ROW) + SPARE);
  const space = el("div", { role: "presentation" });
  space.style.height = `${height}px`;
  const drawn = [];
  for (let at = first; at < last; at++) drawn.push(rowOf(state.visible[at], at));
  rows.replaceChildren(space, ...drawn);
  const at = state.visible.indexOf(state.current);
  if (first <= at && at < last) rows.setAttribute("aria-activedescendant", "row-" + state.current.index);
  else rows.removeAttribute("aria-activedescendant");
}

function rowOf(finding, at) {
  const sure = finding.confidence === "high" ? "" : ` · ${finding.confidence} confidence`;
  const slash = finding.path.lastIndexOf("/") + 1;
  const row = el("div.row", {
    id: "row-" + finding.index,
    role: "option",
    "aria-selected": String(finding === state.current),
    "aria-posinset": at + 1,
    "aria-setsize": state.visible.length,
    title: shown(finding.message),
    onclick: () => select(finding, false),
  },
    el("div.title", null, el("span.severity." + finding.severity, null, el("i.dot", { "aria-hidden": "true" }), finding.severity), ` ${DATA.rules[finding.rule].title}`, el("span.faint", null, sure)),
    el("div.where", null, finding.path.slice(0, slash), el("span.line", null, finding.path.slice(slash) + ":" + finding.line), finding.code ? " " + finding.code : ""),
  );
  row.style.top = `${at * ROW}px`;
  return row;
}

// Scrolls the row into sight.
function reveal(at) {
  const rows = byId("rows");
  if (at < 0) return;
  if (at * ROW < rows.scrollTop) rows.scrollTop = at * ROW;
  else if ((at + 1) * ROW > rows.scrollTop + rows.clientHeight) rows.scrollTop = (at + 1) * ROW - rows.clientHeight;
  drawRows();
}
