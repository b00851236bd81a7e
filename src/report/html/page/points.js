// Points: the clusters, the scatter of the first two principal components. And what graphs and points share: spectrum, trace.
function pointTiles(p) {
  const truth = p.truth;
  byId("main").append(h("div", { class: "tiles", id: "tiles" }, tiles([
    ["clusters", whole(p.clusters)],
    ["points", whole(p.points)],
    ["dimensions", whole(p.dimension)],
    ["objective", number(p.value, 5)],
    ["within-cluster squares", number(sum(p.table.within), 5), "of the clusters listed"],
    truth && ["NMI with the truth", number(truth.nmi)],
    truth && ["ARI with the truth", number(truth.ari)],
  ])));
}

const pointHue = (p, cluster) => (cluster < 48 ? cluster / Math.min(p.clusters, 48) : undefined);

function pointsSection(p) {
  const t = p.table;
  const rows = t.size.map((size, index) => ({ index, cluster: index, size, weight: t.weight[index], within: t.within[index], centre: t.centre[index], names: [] }));
  const weighted = t.weight.some((w, i) => w !== t.size[i]);
  const columns = [
    { name: "cluster", kind: "left", left: true, value: (r) => r.cluster, cell: (r) => [swatch(pointHue(p, r.cluster)), String(r.cluster)] },
    { name: "points", value: (r) => r.size, cell: (r) => whole(r.size) },
    weighted && { name: "weight", value: (r) => r.weight, cell: (r) => number(r.weight) },
    { name: "within squares", value: (r) => r.within, cell: (r) => number(r.within) },
    ...t.columns.map((name, j) => ({ name, value: (r) => r.centre[j], cell: (r) => number(r.centre[j]) })),
  ].filter(Boolean);
  const table = sortable(columns, "points", "Clusters of points");
  const search = searchable(table, () => rows, () => p.rest, "points");
  const sizes = h("div");
  const more = p.dimension > t.columns.length && h("p", { class: "quiet" }, `The first ${t.columns.length} of ${p.dimension} coordinates of each centre.`);
  section("clusters", "The clusters", "Each with the sum of squared distances to its centre, and the centre itself.", search.head, table.place, search.rest, more,
    h("figure", { style: "margin-top: 1.4rem" }, h("h3", {}, "Sizes"), sizeLegend("points"), sizes)).classList.add("long");
  search.show();
  responsive(sizes, (width) => sizeChart(width, p.sizes, "points"));
}

function scatterChart(width, p) {
  const c = p.scatter;
  const height = Math.round(Math.min(560, 0.7 * width + 60));
  const [left, right, top, bottom] = [52, width - 10, 24, height - 42];
  const bounds = (values) => [Math.min(...values), Math.max(...values)];
  const [x, y] = [axis(...bounds(c.x), left + 8, right - 8), axis(...bounds(c.y), bottom - 8, top + 8)];
  const r = c.x.length > 1000 ? 2.4 : 3.6;
  const dots = c.x.map((v, i) => s("circle", { cx: x.place(v).toFixed(1), cy: y.place(c.y[i]).toFixed(1), r, "fill-opacity": 0.7, style: `fill: ${colour(pointHue(p, c.cluster[i]))}` }));
  const centres = c.centres.slice(0, 48).map(([cx, cy], k) => [
    s("circle", { cx: x.place(cx), cy: y.place(cy), r: 7, style: `fill: ${colour(pointHue(p, k))}; stroke: var(--ink); stroke-width: 2` }, s("title", {}, `centre of cluster ${k}`)),
    p.clusters <= 24 && s("text", { class: "ink", x: x.place(cx) + 11, y: y.place(cy) + 4 }, String(k)),
  ]);
  const label = `${whole(c.x.length)} points on their first two principal components, coloured by cluster`;
  return drawing(width, height, label, gridX(x, top, bottom, `first component (${percent(c.explained[0])} of the variance)`, width / 70), gridY(y, left, right, `second component (${percent(c.explained[1])})`, 6), dots, centres);
}

function scatterSection(p) {
  const place = h("div");
  const c = p.scatter;
  const text = c.x.length < p.points ? `${whole(c.x.length)} of ${whole(p.points)} points, at even distances in the file.` : "All points.";
  section("scatter", "The picture", `The first two principal components. ${text} Rings are the centres.`, h("figure", {}, place));
  responsive(place, (width) => scatterChart(width, p));
}

function traceSection() {
  const place = h("div");
  const points = page.trace.map(([value], i) => [i + 1, value]);
  section("trace", "The objective, pass by pass", `From ${number(points[0][1], 5)} to ${number(points[points.length - 1][1], 5)} in ${plural(page.about.fit ? page.about.fit.passes : points.length, "pass", "passes")}.`, place);
  responsive(place, (width) => lineChart(width, { points, x: "pass", y: "objective", label: "The objective after each pass" }));
}

function spectrumSection() {
  const sp = page.spectrum;
  const place = h("div");
  const few = sp.values.length < sp.count ? ` The first ${whole(sp.values.length)} are shown.` : "";
  const gaps = sp.gaps.length > 0 && h("details", {}, h("summary", {}, "The largest gaps"), h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ["clusters before it", "from", "to", "suggests β"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, sp.gaps.map(([after, low, high]) => h("tr", {}, h("td", {}, whole(after)), h("td", {}, number(low, 5)), h("td", {}, number(high, 5)), h("td", {}, number((low + high) / 2, 4))))))));
  section("spectrum", "The spectrum", `${plural(sp.count, "eigenvalue")} of the Laplacian below ${number(sp.below)}. ${sp.verdict}${few} Their number below β is the number of clusters that the relaxed problem wants.`, place, gaps);
  if (!sp.values.length) return;
  const points = sp.values.map((value, i) => [i + 1, value]);
  const draw = responsive(place, (width) => {
    const beta = state.beta === undefined ? sp.below : state.beta;
    const below = points.filter((p) => p[1] < beta).length;
    return lineChart(width, { points, x: "number", y: "eigenvalue", label: `Eigenvalues, ${below} of them below β = ${number(beta)}`, dots: true, level: beta, levelText: `β = ${number(beta)}: ${below} below` });
  });
  if (view) watch(draw);
}

// The number of clusters against λ: it stays the same from one λ to the next, then steps.
function curveChart(width, curve) {
  const height = 260;
  const [left, right, top, bottom] = [56, width - 12, 26, height - 42];
  const clusters = curve.map((point) => point[1]);
  const x = axis(curve[0][0], curve[curve.length - 1][0], left + 6, right - 6, { log: true });
  const y = axis(Math.min(...clusters), Math.max(...clusters), bottom, top, { finest: 1 });
  const places = curve.map(([lambda, k]) => [x.place(lambda).toFixed(1), y.place(k).toFixed(1)]);
  const steps = places.map(([px, py], i) => (i === 0 ? `M${px},${py}` : `H${px}V${py}`)).join("");
  const label = `The number of clusters at ${whole(curve.length)} values of λ, from ${number(curve[0][0])} to ${number(curve[curve.length - 1][0])}`;
  return drawing(width, height, label, gridX(x, top, bottom, "λ", width / 70), gridY(y, left, right, "clusters k", 5), s("path", { class: "curve steps", d: steps }));
}

function curveSection(curve) {
  const place = h("div");
  section("curve", "Clusters against λ", "A long step is a number of clusters that many values of λ agree on.", h("figure", {}, place));
  responsive(place, (width) => curveChart(width, curve));
}
