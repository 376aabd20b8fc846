// A picture of a path: a lane for each file, a circle for each step, from the source on the left to the sink.

const LANE = 34;
const RADIUS = 11;

function shortPath(path) {
  const letters = Array.from(path);
  return letters.length > 36 ? "…" + letters.slice(-35).join("") : path;
}

function picture(trace, onStep) {
  const files = [...new Set(trace.steps.map((step) => step.file))];
  const names = files.map((file) => shortPath(DATA.files[file].path));
  const left = Math.max(...names.map((name) => Array.from(name).length)) * 7.3 + 34;
  const room = byId("detail").clientWidth - left - RADIUS - 70; // of the pane, without its padding
  const gap = Math.max(27, Math.min(46, room / Math.max(1, trace.steps.length - 1)));
  const width = left + gap * (trace.steps.length - 1) + RADIUS + 16;
  const height = LANE * files.length + 8;
  const lane = (file) => 4 + LANE * files.indexOf(file) + LANE / 2;
  const label = `Path of ${plural(trace.steps.length, "step")} in ${plural(files.length, "file")}, from ${trace.source}; the list below has each step.`;
  const drawn = svg("svg", { role: "img", "aria-label": shown(label), width, height, viewBox: `0 0 ${width} ${height}` });
  for (const [index, file] of files.entries()) {
    const y = lane(file);
    drawn.append(svg("line.lane", { x1: left - 16, x2: width - 8, y1: y, y2: y }));
    drawn.append(svg("text.name", { x: 12, y: y + 4 }, names[index], svg("title", null, DATA.files[file].path)));
  }
  const x = (index) => left + gap * index;
  for (let index = 1; index < trace.steps.length; index++) {
    const [from, to] = [lane(trace.steps[index - 1].file), lane(trace.steps[index].file)];
    const [start, end] = [x(index - 1), x(index)];
    const bend = (start + end) / 2;
    const kind = trace.steps[index].kind === "assumed" ? ".assumed" : "";
    drawn.append(svg("path.edge" + kind, { d: `M${start} ${from} C${bend} ${from} ${bend} ${to} ${end} ${to}` }));
  }
  for (const [index, step] of trace.steps.entries()) {
    const kind = ["source", "sink", "assumed"].includes(step.kind) ? "." + step.kind : "";
    const circle = svg("g.step" + kind, { transform: `translate(${x(index)} ${lane(step.file)})`, onclick: () => onStep(index) });
    circle.append(svg("circle", { r: RADIUS }), svg("text", { y: 4 }, index + 1), svg("title", null, `${step.line}: ${step.message}`));
    drawn.append(circle);
  }
  return el("div.picture", { tabindex: "0", role: "group", "aria-label": "Picture of the path" }, drawn);
}
