// Which clustering is shown: the state of the page, the slider over β, the chart of the path.
const view = page.graph;
const all = view ? view.clusterings : [];
const state = { at: view ? view.chosen : 0, beta: view && all.length ? all[view.chosen].beta : undefined };
const watchers = [];
const watch = (show) => { watchers.push(show); show(); };
const current = () => all[state.at];
const isPath = all.length > 1 && all.every((c) => c.interval);

function select(at, beta) {
  state.at = Math.min(all.length - 1, Math.max(0, at));
  state.beta = beta === undefined ? current().beta : beta;
  watchers.forEach((show) => show());
}

// The clustering that is best at β.
function best(beta) {
  const at = all.findIndex((c) => beta < c.interval[1]);
  return at < 0 ? all.length - 1 : at;
}

const betaText = (c) => `${number(c.interval[0])} ${c.interval[1] === null ? "up" : `to ${number(c.interval[1])}`}`;
const lowest = () => all[0].interval[0];
const highest = () => all[all.length - 1].interval[1];

function bandRects(x, height, top = 0) {
  return all.map((c, i) => {
    const [a, b] = c.interval.map(x);
    const kind = ["band", i % 2 && "odd", i === view.chosen && "best", i === state.at && "now"].filter(Boolean).join(" ");
    return s("rect", { class: kind, x: a, y: top, width: Math.max(0.5, b - a), height }, s("title", {}, `β ${betaText(c)}: ${plural(c.clusters, "cluster")}`));
  });
}

function slider() {
  const [low, high] = [lowest(), highest()];
  const input = h("input", { type: "range", id: "beta", min: low, max: high, step: "any", "aria-label": "Resolution β" });
  const bands = s("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  const back = h("button", { type: "button", "aria-label": "Fewer clusters", onclick: () => select(state.at - 1) }, "◀");
  const on = h("button", { type: "button", "aria-label": "More clusters", onclick: () => select(state.at + 1) }, "▶");
  const home = h("button", { type: "button", class: "home", onclick: () => select(view.chosen) }, "Recommended");
  const readout = h("p", { class: "readout", id: "readout", "aria-live": "polite" });
  input.addEventListener("input", () => select(best(Number(input.value)), Number(input.value)));
  // A key goes to the next clustering, however narrow its interval.
  const keys = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -all.length, End: all.length };
  input.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    select(state.at + keys[event.key]);
  });
  byId("control").hidden = false;
  byId("control").append(h("div", { class: "control-inner" }, readout, back, h("div", { class: "slider" }, bands, input), on, home));
  watch(() => {
    const c = current();
    input.value = state.beta;
    input.setAttribute("aria-valuetext", `β ${number(state.beta)}: ${plural(c.clusters, "cluster")}, best from ${betaText(c)}${state.at === view.chosen ? ", recommended" : ""}`);
    bands.replaceChildren(...bandRects((beta) => (1000 * (beta - low)) / (high - low || 1), 10));
    readout.replaceChildren(
      h("strong", {}, plural(c.clusters, "cluster")),
      h("span", {}, `at resolution β = ${number(state.beta)}`),
      h("span", { class: "quiet" }, `best for β from ${betaText(c)}`),
      state.at === view.chosen ? h("span", { class: "rec" }, "recommended") : "",
    );
    [back.disabled, on.disabled, home.disabled] = [state.at === 0, state.at === all.length - 1, state.at === view.chosen];
  });
}

function pathChart(width) {
  const [left, right, panel, gap, top] = [52, width - 10, 150, 44, 26];
  const height = top + 2 * panel + gap + 44;
  const x = axis(lowest(), highest(), left, right);
  const steps = (value, y) => "M" + all.flatMap((c) => c.interval.map((beta) => `${x.place(beta).toFixed(1)},${y.place(value(c)).toFixed(1)}`)).join("L");
  const ks = all.map((c) => c.clusters);
  const yk = axis(Math.min(...ks), Math.max(...ks), top + panel, top, { log: Math.max(...ks) > 12 * Math.min(...ks), finest: 1 });
  const second = top + panel + gap;
  const cuts = all.map((c) => c.cut);
  const yc = axis(Math.min(...cuts), Math.max(...cuts), second + panel, second);
  const label = `Number of clusters and cut against the resolution β: ${all.length} clusterings from ${plural(ks[0], "cluster")} to ${whole(ks[ks.length - 1])}; recommended are ${whole(ks[view.chosen])}.`;
  const [from, to] = all[view.chosen].interval.map(x.place);
  const crown = s("text", { class: "crown", x: Math.min(right - 40, Math.max(left + 112, (from + to) / 2)), y: top - 8, "text-anchor": "middle" }, "recommended");
  const mark = s("line", { class: "mark", x1: x.place(state.beta), x2: x.place(state.beta), y1: top, y2: second + panel });
  const chart = drawing(width, height, label,
    bandRects(x.place, panel, top), bandRects(x.place, panel, second),
    gridY(yk, left, right, "clusters k", 4), s("path", { class: "curve", d: steps((c) => c.clusters, yk) }),
    gridY(yc, left, right, "cut", 4), s("path", { class: "curve", d: steps((c) => c.cut, yc) }),
    gridX(x, second + panel, second + panel, "resolution β", width / 60), mark, crown);
  chart.classList.add("clickable");
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const beta = Math.min(highest(), Math.max(lowest(), x.back(((event.clientX - box.left) / box.width) * width)));
    select(best(beta), beta);
  });
  return chart;
}

function pathTable() {
  const body = h("tbody");
  watch(() => body.replaceChildren(...all.map((c, i) =>
    h("tr", { class: i === state.at && "lit" },
      h("td", { class: "left" }, h("button", { type: "button", "aria-pressed": i === state.at ? "true" : "false", onclick: () => select(i) }, plural(c.clusters, "cluster")), " ", i === view.chosen && h("span", { class: "rec" }, "recommended")),
      h("td", {}, number(c.cut)), h("td", {}, number(c.interval[0])), h("td", {}, number(c.interval[1])), h("td", {}, c.detail ? number(c.detail.modularity) : "–")))));
  const heads = ["clusters", "cut", "β from", "to", "modularity"].map((text, i) => h("th", { scope: "col", class: i === 0 && "left" }, text));
  return h("details", {}, h("summary", {}, "The path as a table"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The path as a table" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), body)));
}

function pathSection() {
  const place = h("div");
  section("path", "The path", "Every clustering that is best at some resolution β, and the interval on which it is. Wide bands are structure; narrow ones lie on the way.",
    view.reason && h("p", { class: "quiet" }, view.reason), place, pathTable()).classList.add("long");
  watch(responsive(place, pathChart));
}
