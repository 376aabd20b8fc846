// Events: selection and its address, keys, search, theme, print.

const MAX_PRINTED = 300; // findings on paper; the rest is counted

// Shows ``finding``, or the overview if it is null. ``moves``: the reader asked for it elsewhere than in the list.
function select(finding, moves) {
  state.current = finding;
  state.trace = 0;
  state.step = -1;
  document.body.classList.toggle("reading", finding !== null);
  if (finding && document.body.classList.contains("filtering")) toggleFilters();
  history.replaceState(null, "", finding ? "#" + finding.fingerprint : "#");
  if (finding) showFinding(finding);
  else showOverview();
  if (finding && moves) reveal(state.visible.indexOf(finding));
  else drawRows();
}

function overview() {
  select(null, true);
  document.body.classList.add("reading");
}

// Where the window has no room for the filters, they take the place of the list.
function toggleFilters() {
  const open = document.body.classList.toggle("filtering");
  byId("filters").setAttribute("aria-expanded", String(open));
  if (open) document.body.classList.remove("reading");
}

function fromAddress() {
  const wanted = location.hash.slice(1);
  const finding = BY_FINGERPRINT.get(wanted);
  if (finding && finding === state.current) return;
  if (finding && !state.visible.includes(finding)) clearFilters();
  select(finding || null, true);
  if (wanted && !finding) byId("detail").prepend(el("p.notice", { role: "alert" }, `This report has no finding ${wanted}: it is fixed, suppressed, or was changed.`));
}

function move(by) {
  const at = state.visible.indexOf(state.current);
  const next = Math.max(0, Math.min(state.visible.length - 1, at + by));
  if (state.visible.length) select(state.visible[next], true);
}

const page = () => Math.max(1, Math.floor(byId("rows").clientHeight / ROW) - 1);

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  n: () => goToStep(state.step + 1),
  p: () => goToStep(state.step - 1),
  s: nextSource,
  o: overview,
  "/": () => byId("query").select(),
  "?": () => byId("help").showModal(),
  Escape: clearFilters,
};
const LIST_KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Home: () => move(-Infinity),
  End: () => move(Infinity),
  PageDown: () => move(page()),
  PageUp: () => move(-page()),
  Enter: () => byId("detail").focus(),
};

function nextSource() {
  if (!state.current) return;
  state.trace = (state.trace + 1) % state.current.traces.length;
  state.step = -1;
  showFinding(state.current);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const typing = event.target.matches("input, select, textarea");
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing && !(event.target === byId("query") && ["ArrowDown", "Enter"].includes(event.key))) return;
  if (typing) byId("rows").focus();
  const inList = byId("rows").contains(event.target) || event.target === document.body || typing;
  const action = KEYS[event.key] || (inList ? LIST_KEYS[event.key === "Enter" && typing ? "ArrowDown" : event.key] : undefined);
  if (!action) return;
  event.preventDefault();
  action();
}

const THEMES = ["auto", "light", "dark"];
let theme = "auto";
function setTheme(chosen) {
  theme = chosen;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("pyrograph-theme", theme);
  } catch {
    // no storage for files: the choice lasts as long as the page
  }
}

function savedTheme() {
  try {
    const saved = localStorage.getItem("pyrograph-theme");
    return THEMES.includes(saved) ? saved : "auto";
  } catch {
    return "auto";
  }
}

function toPaper() {
  const chosen = state.current && !isFiltered() ? [state.current] : state.visible;
  const printed = chosen.slice(0, MAX_PRINTED);
  const articles = printed.map((finding) => {
    const trace = tracesOf(finding)[0];
    return el("article", null, ...headOf(finding), el("p.faint", null, `From ${trace.source}; ${plural(finding.sources, "source")}.`), ...pathOf(finding, trace));
  });
  const rest = chosen.length - printed.length;
  const head = el("h2", null, `pyrograph: ${byId("verdict").textContent}`);
  const cut = rest > 0 ? el("p", null, `${plural(rest, "further finding")} not printed; filter the list first.`) : null;
  byId("paper").replaceChildren(...[head, cut, ...articles].filter(Boolean));
}

function start() {
  byId("verdict").textContent = FINDINGS.length
    ? SEVERITIES.map((severity) => [severity, FINDINGS.filter((f) => f.severity === severity).length]).filter(([, count]) => count).map(([severity, count]) => `${count.toLocaleString("en")} ${severity}`).join(" · ")
    : "no findings";
  byId("sort").append(...Object.entries(SORTS).map(([key, [title]]) => el("option", { value: key }, title)));
  byId("home").addEventListener("click", overview);
  byId("filters").addEventListener("click", toggleFilters);
  byId("clear").addEventListener("click", () => { clearFilters(); byId("rows").focus(); });
  byId("keys").addEventListener("click", () => byId("help").showModal());
  byId("theme").addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]));
  byId("query").addEventListener("input", () => { state.query = byId("query").value.trim(); update(); });
  byId("sort").addEventListener("change", () => { state.sort = byId("sort").value; update(); });
  byId("rows").addEventListener("scroll", () => requestAnimationFrame(drawRows));
  new ResizeObserver(drawRows).observe(byId("rows"));
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", fromAddress);
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", () => byId("paper").replaceChildren());
  setTheme(savedTheme());
  update();
  fromAddress();
}

start();
