// The graph of clusters, the adjacency matrix before and after, and the heat maps against layers and against the truth.
function network(detail, width) {
  const n = detail.network;
  const t = detail.table;
  if (!n.x.length) return h("p", { class: "quiet" }, "No clusters.");
  const box = (low, high, r) => [Math.min(...low.map((v, i) => v - r[i])), Math.max(...high.map((v, i) => v + r[i]))];
  const [[x0, x1], [y0, y1]] = [box(n.x, n.x, n.r), box(n.y, n.y, n.r)];
  const most = Math.max(...n.links.map((l) => l[2]));
  // Units of the drawing that make one pixel of the screen; the picture is at most 544 pixels high.
  const scale = Math.max((x1 - x0) / (width - 60), (y1 - y0) / 484);
  const pad = 30 * scale;
  const lines = n.links.slice().reverse().map(([a, b, w]) =>
    s("line", { x1: n.x[a], y1: n.y[a], x2: n.x[b], y2: n.y[b], "stroke-width": (scale * (0.5 + (n.x.length > 24 ? 3.5 : 6) * Math.sqrt(w / most))).toFixed(2), "stroke-opacity": (0.18 + 0.35 * Math.sqrt(w / most)).toFixed(3), "data-a": a, "data-b": b }));
  const names = t.best.map((list) => (list.length ? view.names[list[0]] : ""));
  const circles = n.x.map((x, a) => {
    const text = `Cluster ${t.cluster[a]}: ${plural(t.size[a], "vertex", "vertices")}, volume ${number(t.volume[a])}, conductance ${number(t.conductance[a], 3)}${names[a] ? `; ${names[a]}` : ""}`;
    return s("circle", { cx: x, cy: n.y[a], r: n.r[a], style: `fill: ${colour(n.hue[a])}`, "data-a": a, onclick: () => light(t.cluster[a]) }, s("title", {}, text));
  });
  const size = 12 * scale;
  const isName = (name) => name && !/^\d+$/.test(name);
  // A name where it fits into the circle or, on a wide screen, below it; otherwise the number of the cluster.
  const labels = n.x.map((x, a) => {
    const roomy = n.r[a] > 9 * scale;
    if (!roomy && n.x.length > 24) return null;
    const fits = (text) => 0.62 * size * text.length < 1.85 * n.r[a] && n.r[a] > 0.75 * size;
    const named = isName(names[a]) && roomy && (fits(names[a]) || (width > 560 && names[a].length <= 18));
    const name = named ? names[a] : String(t.cluster[a]);
    const within = fits(name);
    return s("text", { class: within && "within", x, y: n.y[a] + (within ? size / 3 : n.r[a] + 1.1 * size), "data-a": a, style: `font-size: ${size.toFixed(1)}px` }, name);
  });
  const label = `The ${n.x.length} clusters of largest volume as circles, with ${n.links.length} links between them`;
  const svg = s("svg", { class: "chart network", viewBox: `${x0 - pad} ${y0 - pad} ${x1 - x0 + 2 * pad} ${y1 - y0 + 2 * pad}`, role: "img", "aria-label": label }, s("title", {}, label), lines, circles, labels);
  svg.addEventListener("pointerover", (event) => {
    const a = event.target instanceof SVGCircleElement ? Number(event.target.dataset.a) : -1;
    const near = new Set([a, ...n.links.flatMap(([p, q]) => (p === a ? [q] : q === a ? [p] : []))]);
    lines.forEach((line) => line.classList.toggle("faded", a >= 0 && Number(line.dataset.a) !== a && Number(line.dataset.b) !== a));
    [...circles, ...labels.filter(Boolean)].forEach((e) => e.classList.toggle("faded", a >= 0 && !near.has(Number(e.dataset.a))));
  });
  return svg;
}

const decoded = new Map();
function shades(image) {
  if (!decoded.has(image)) decoded.set(image, Uint8Array.from(atob(image.shades), (c) => c.charCodeAt(0)));
  return decoded.get(image);
}

// Shades as opacity of one colour, so that the paper shows through where there is nothing.
function paint(canvas, image) {
  const side = image.side;
  [canvas.width, canvas.height] = [side, side];
  const rgb = getComputedStyle(document.documentElement).getPropertyValue("--shade").split(",").map(Number);
  const pixels = new ImageData(side, side);
  const bytes = shades(image);
  for (let r = 0, at = 0; r < side; r += 1) {
    for (let c = 0; c <= r; c += 1, at += 1) {
      for (const p of [r * side + c, c * side + r]) pixels.data.set([rgb[0], rgb[1], rgb[2], bytes[at]], 4 * p);
    }
  }
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

function matrix(title, caption) {
  const canvas = h("canvas", { class: "matrix", role: "img", "aria-label": `Adjacency matrix, ${title}` });
  return { canvas, figure: h("figure", {}, h("h3", {}, title), canvas, h("figcaption", {}, caption)) };
}

function pictureSection() {
  const graph = h("div");
  const caption = h("figcaption");
  const note = h("div");
  const before = matrix("in the order of the input", "Each pixel is a group of rows and columns; the darker, the denser.");
  const after = matrix("in the order of the clusters", "The same pixels with the vertices sorted by cluster, the largest first: what is dark lies inside clusters.");
  const pictures = h("div", {}, h("figure", {}, graph, caption), h("div", { class: "matrices" }, before.figure, after.figure));
  section("picture", "The picture", "Circles are clusters, as large as their volume; links show the strongest connections of each, as thick as their weight. Touch a circle to see its neighbours.", note, pictures);
  const draw = responsive(graph, (width) => (current().detail ? network(current().detail, width) : h("span")));
  const show = () => {
    const d = current().detail;
    note.replaceChildren(...(d ? [] : [missing()]));
    pictures.hidden = !d;
    if (!d) return;
    draw();
    const n = d.network;
    const share = sum(d.table.volume.slice(0, n.x.length)) / view.volume;
    caption.textContent = `${n.x.length === current().clusters ? `All ${plural(n.x.length, "cluster")}` : `The ${n.x.length} largest of ${plural(current().clusters, "cluster")}, with ${percent(share)} of the volume`}; ${n.links.length} of ${plural(n.pairs, "link")} shown.`;
    paint(before.canvas, view.before);
    paint(after.canvas, d.after);
  };
  watch(show);
  themed(show);
}

// Columns in the order in which they appear along the diagonal.
function diagonal(counts) {
  const top = range(counts[0].length).map((j) => {
    const column = counts.map((row) => row[j]);
    return [column.indexOf(Math.max(...column)), -Math.max(...column), j];
  });
  return top.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((t) => t[2]);
}

// Numbers by cluster and column; the stronger the colour, the larger the share of the cluster.
function heatMap(heat, columns, order, kind) {
  const head = h("tr", {}, h("th", { scope: "col", class: "left" }, `cluster / ${kind}`), order.map((j) => h("th", { scope: "col" }, columns[j])));
  const rows = heat.counts.map((row, i) => {
    const total = Math.max(1, sum(row));
    const name = i < heat.clusters.length ? String(heat.clusters[i]) : "others";
    const cells = order.map((j) => {
      const part = row[j] / total;
      return h("td", { class: row[j] === 0 ? "empty" : part > 0.55 ? "full" : "", "--part": `${Math.round(100 * part)}%`, title: `${whole(row[j])} of ${whole(total)} in cluster ${name}: ${columns[j]}` }, whole(row[j]));
    });
    return h("tr", {}, h("th", { scope: "row", class: "left" }, name), cells);
  });
  return h("div", { class: "heat-scroll", tabindex: 0, role: "region", "aria-label": `Clusters by ${kind}` }, h("table", { class: "heat" }, h("thead", {}, head), h("tbody", {}, rows)));
}

function truthSection(truthOf, classes) {
  const place = h("div");
  const text = h("p", { class: "quiet", style: "margin-bottom: 0.8rem" });
  section("truth", "Agreement with the truth", "How many members of each cluster are in each true class; the stronger the colour, the larger the share of the cluster.", text, place);
  watch(() => {
    const truth = truthOf();
    text.textContent = truth ? `NMI ${number(truth.nmi)}, ARI ${number(truth.ari)} over ${whole(truth.elements)} elements with a class.` : "";
    place.replaceChildren(truth ? heatMap(truth, classes, diagonal(truth.counts), "true class") : missing());
  });
}

// What each layer is, one row each.
function layerTable(layers) {
  const judged = layers.some((l) => l.truth);
  const heads = ["layer", "vertices", "edges", "clusters", ...(judged ? ["NMI", "ARI"] : [])].map((text, i) => h("th", { scope: "col", class: i === 0 && "left" }, text));
  const rows = layers.map((l) => h("tr", {}, h("th", { scope: "row", class: "left" }, l.layer),
    [whole(l.graph.vertices), whole(l.graph.edges), whole(l.clusters), ...(judged ? [number(l.truth.nmi), number(l.truth.ari)] : [])].map((text) => h("td", {}, text))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Layers" }, h("table", { class: "each-layer" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
}

function layersSection() {
  const place = h("div");
  const listed = page.about.layers || [];
  const more = listed.length < view.layers.total && h("p", { class: "quiet" }, `The first ${whole(listed.length)} of ${plural(view.layers.total, "layer")}.`);
  section("layers", "The layers", "How many members each cluster has in each layer; the stronger the colour, the larger the share of the cluster. A cluster has the same number in all layers.",
    place, h("h3", { class: "below" }, "Each layer by itself"), layerTable(listed), more);
  watch(() => {
    const heat = current().detail.layers;
    place.replaceChildren(heatMap(heat, view.layers.shown, range(view.layers.shown.length), "layer"));
  });
}
