// Small charts: linear and logarithmic axes, steps, dots, bars.
function nice(low, high, count, finest = 0) {
  if (!(high > low)) return [low];
  const rough = Math.max(finest, (high - low) / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return range(last - first + 1).map((i) => Number(((first + i) * step).toPrecision(12)));
}

// low..high of the data onto from..to of the screen.
function axis(low, high, from, to, { log = false, finest = 0 } = {}) {
  if (!(high > low)) [low, high] = log ? [low / 2, low * 2] : [low - 0.5, low + 0.5];
  const on = log ? Math.log10 : (v) => v;
  const place = (value) => from + ((on(value) - on(low)) / (on(high) - on(low))) * (to - from);
  const back = (at) => {
    const t = on(low) + ((at - from) / (to - from)) * (on(high) - on(low));
    return log ? 10 ** t : t;
  };
  const ticks = (count) => {
    if (!log) return nice(low, high, count, finest);
    const powers = range(Math.floor(Math.log10(high)) - Math.ceil(Math.log10(low)) + 1).map((i) => 10 ** (Math.ceil(Math.log10(low)) + i));
    const finer = [1, 2, 5].flatMap((m) => powers.concat(powers[0] / 10).map((p) => m * p)).filter((v) => v >= low && v <= high);
    return powers.length > 2 ? powers : [...new Set(finer)].sort((a, b) => a - b);
  };
  return { place, back, ticks, low, high };
}

const tickText = (value) => (Math.abs(value) >= 1e5 ? value.toExponential(0).replace("e+", "e") : number(value, 3));

function gridX(x, top, bottom, label, count) {
  const lines = x.ticks(count).map((v) => [
    s("line", { class: "gridline", x1: x.place(v), x2: x.place(v), y1: top, y2: bottom }),
    s("text", { x: x.place(v), y: bottom + 16, "text-anchor": "middle" }, tickText(v)),
  ]);
  const end = x.place(x.high);
  return [...lines, label && s("text", { class: "ink", x: end, y: bottom + 33, "text-anchor": "end" }, label)];
}

function gridY(y, left, right, label, count) {
  const top = Math.min(y.place(y.high), y.place(y.low));
  const lines = y.ticks(count).map((v) => [
    s("line", { class: "gridline", x1: left, x2: right, y1: y.place(v), y2: y.place(v) }),
    s("text", { x: left - 7, y: y.place(v) + 4, "text-anchor": "end" }, tickText(v)),
  ]);
  return [...lines, label && s("text", { class: "ink", x: left, y: top - 8 }, label)];
}

// A drawing for people who see it, with a sentence for those who do not.
const drawing = (width, height, label, ...content) =>
  s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, s("title", {}, label), ...content);

// Points joined by a line, or as dots, with an optional level marked.
function lineChart(width, { points, x: xLabel, y: yLabel, label, dots, level, levelText }) {
  const height = Math.round(Math.min(300, 160 + width / 6));
  const [left, right, top, bottom] = [56, width - 12, 26, height - 42];
  const ys = points.map((p) => p[1]).concat(level === undefined ? [] : [level]);
  const air = 0.04 * (Math.max(...ys) - Math.min(...ys));
  const x = axis(points[0][0], points[points.length - 1][0], left + 6, right - 6, { finest: 1 });
  const y = axis(Math.min(...ys) - air, Math.max(...ys) + air, bottom, top);
  const at = (p) => `${x.place(p[0]).toFixed(1)},${y.place(p[1]).toFixed(1)}`;
  const shown = dots
    ? points.map((p) => s("circle", { class: level !== undefined && p[1] >= level ? "dot beyond" : "dot", cx: x.place(p[0]), cy: y.place(p[1]), r: points.length > 300 ? 2 : 3.2 }))
    : s("path", { class: "curve", d: "M" + points.map(at).join("L") });
  const mark = level !== undefined && [
    s("line", { class: "mark", x1: left, x2: right, y1: y.place(level), y2: y.place(level) }),
    s("text", { class: "ink", x: left + 8, y: y.place(level) + (y.place(level) < top + 20 ? 16 : -6) }, levelText),
  ];
  return drawing(width, height, label, gridX(x, top, bottom, xLabel, width / 70), gridY(y, left, right, yLabel, 5), shown, mark);
}

// Shares of clusters and of their members by size, in powers of two.
function sizeChart(width, sizes, things) {
  const height = 250;
  const [left, right, top, bottom] = [44, width - 8, 26, height - 42];
  const first = Math.max(0, sizes.findIndex((bin) => bin[0] > 0));
  const bins = sizes.slice(first);
  const [clusters, members] = [sum(bins.map((b) => b[0])), sum(bins.map((b) => b[1]))];
  const y = axis(0, Math.max(...bins.map((b) => Math.max(b[0] / clusters, b[1] / members))), bottom, top);
  const step = (right - left) / Math.max(bins.length, 4);
  const bar = (i, part, share, kind, text) => {
    const w = Math.min(34, step * 0.4);
    const middle = left + step * (i + 0.5);
    return s("rect", { class: kind, x: middle + (part ? 1 : -1 - w), y: y.place(share), width: w, height: Math.max(0, bottom - y.place(share)), rx: 2 }, s("title", {}, text));
  };
  const names = bins.map((_, i) => (i + first === 0 ? "1" : `${tickText(2 ** (i + first))}–${tickText(2 ** (i + first + 1) - 1)}`));
  const roomy = 7 * Math.max(...names.map((name) => name.length)) < step;
  const every = roomy ? 1 : Math.ceil(46 / step);
  const content = bins.map(([count, inside], i) => {
    const name = names[i];
    const text = `${plural(count, "cluster")} of ${name} ${things}, together ${whole(inside)}`;
    return [
      bar(i, 0, count / clusters, "bar", text),
      bar(i, 1, inside / members, "bar second", text),
      i % every === 0 && s("text", { x: left + step * (i + 0.5), y: bottom + 16, "text-anchor": "middle" }, roomy ? name : tickText(2 ** (i + first))),
    ];
  });
  const shares = y.ticks(5).map((v) => [
    s("line", { class: "gridline", x1: left, x2: right, y1: y.place(v), y2: y.place(v) }),
    s("text", { x: left - 6, y: y.place(v) + 4, "text-anchor": "end" }, `${Math.round(100 * v)} %`),
  ]);
  const label = `Sizes of ${plural(clusters, "cluster")}, in powers of two from ${2 ** first} to ${2 ** sizes.length - 1}`;
  const under = s("text", { class: "ink", x: right, y: bottom + 33, "text-anchor": "end" }, `${things} in a cluster`);
  return drawing(width, height, label, shares, content, under);
}

const sizeLegend = (things) => h("p", { class: "legend" }, h("span", {}, h("i"), "share of clusters"), h("span", {}, h("i", { class: "second" }), `share of ${things}`));
