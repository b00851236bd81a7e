// The numbers of a clustering, its clusters as a table that can be sorted and searched, and their sizes.
function tiles(list) {
  return list.filter((tile) => tile && tile[1] !== undefined).map(([name, value, hint]) => h("div", { class: "tile", title: hint }, h("b", {}, value), h("span", {}, name)));
}

function summary() {
  const place = h("div", { class: "tiles", id: "tiles" });
  byId("main").append(place);
  watch(() => {
    const c = current();
    const d = c.detail;
    const value = isPath ? c.cut - state.beta * c.clusters : c.value;
    place.replaceChildren(...tiles([
      ["clusters", whole(c.clusters)],
      value !== undefined && ["F, the penalised cut", number(value), "Σ over clusters of (cut ratio − β): lower is better"],
      ["cut", number(c.cut), "Σ over clusters of what leaves them, relative to their mass"],
      ["cut per cluster", number(c.cut / c.clusters)],
      d && ["modularity", number(d.modularity)],
      d && ["mean conductance", number(d.conductance_mean)],
      d && ["weight inside clusters", percent(d.coverage)],
      d && d.truth && ["NMI with the truth", number(d.truth.nmi)],
      d && d.truth && ["ARI with the truth", number(d.truth.ari)],
    ]));
  });
}

// What to say where a clustering is kept without its clusters.
function missing() {
  return h("p", { class: "note" }, `This page keeps only the numbers of this clustering. For its clusters: lambdacut cluster GRAPH --resolution ${number(current().beta, 5)} --report FILE.html`);
}

// A table whose columns sort. Columns: { name, value(row), cell(row), left }.
function sortable(columns, kind, label) {
  const sort = { column: -1, descending: true };
  const body = h("tbody");
  let rows = [];
  const heads = columns.map((column, i) => {
    const flip = () => {
      sort.descending = sort.column === i ? !sort.descending : !column.left;
      sort.column = i;
      show();
    };
    return h("th", { scope: "col", class: column.kind, "aria-sort": column.value && "none" }, column.value ? h("button", { type: "button", onclick: flip }, column.name) : column.name);
  });
  function show() {
    heads.forEach((head, i) => { if (columns[i].value) head.setAttribute("aria-sort", i !== sort.column ? "none" : sort.descending ? "descending" : "ascending"); });
    const ordered = rows.slice();
    if (sort.column >= 0) {
      const value = columns[sort.column].value;
      const sign = sort.descending ? -1 : 1;
      ordered.sort((a, b) => sign * (value(a) - value(b)) || a.index - b.index);
    }
    body.replaceChildren(...ordered.map((row) => h("tr", { "data-cluster": row.cluster }, columns.map((column) => h("td", { class: column.kind }, column.cell(row))))));
  }
  const table = h("table", { class: kind }, h("caption", { class: "quiet", hidden: true }, label), h("thead", {}, h("tr", {}, heads)), body);
  const place = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
  return { place, body, set: (next) => { rows = next; show(); } };
}

const shareCell = (value) => h("span", { class: "share", "--part": `${Math.round(100 * Math.min(1, value))}%` }, number(value, 3));
const swatch = (hue) => h("i", { class: "swatch", style: hue !== undefined && `background: ${colour(hue)}` });

function clusterRows(detail) {
  const t = detail.table;
  return t.cluster.map((cluster, index) => ({
    index, cluster, hue: detail.network.hue[index], size: t.size[index], volume: t.volume[index], conductance: t.conductance[index], inside: t.inside[index],
    layers: t.layers && t.layers[index],
    names: t.best[index].map((at) => view.names[at]),
  }));
}

function people(row) {
  return row.names.flatMap((name, i) => [i > 0 && ", ", i === 0 ? h("b", {}, name) : name]);
}

const clusterColumns = () => [
  { name: "cluster", kind: "left", left: true, value: (r) => r.cluster, cell: (r) => [swatch(r.hue), String(r.cluster)] },
  { name: "vertices", value: (r) => r.size, cell: (r) => whole(r.size) },
  { name: "volume", value: (r) => r.volume, cell: (r) => number(r.volume) },
  { name: "conductance", value: (r) => r.conductance, cell: (r) => shareCell(r.conductance) },
  { name: "inside", value: (r) => r.inside, cell: (r) => shareCell(r.inside) },
  view.layers && { name: "layers", value: (r) => r.layers, cell: (r) => whole(r.layers) },
  { name: "best connected vertices", kind: "people", cell: people },
].filter(Boolean);

// A search box above a table; the rest of the clusters below it.
function searchable(table, rowsOf, restOf, things) {
  const box = h("input", { type: "search", id: "search", placeholder: "Search by number or name", "aria-label": "Search the clusters" });
  const count = h("span", { class: "quiet", role: "status" });
  const rest = h("p", { class: "quiet" });
  const show = () => {
    const rows = rowsOf();
    const word = box.value.trim().toLowerCase();
    const found = word ? rows.filter((r) => String(r.cluster) === word || r.names.some((n) => n.toLowerCase().includes(word))) : rows;
    table.set(found);
    const others = restOf();
    count.textContent = word ? `${found.length} of ${plural(rows.length, "cluster")}` : plural(rows.length + (others ? others.clusters : 0), "cluster");
    rest.textContent = others && others.clusters ? `Not listed: ${plural(others.clusters, "smaller cluster")} with ${whole(others.vertices)} ${things} in all.` : "";
  };
  box.addEventListener("input", show);
  return { head: h("div", { class: "bar-row" }, box, count), rest, show };
}

function clustersSection() {
  const table = sortable(clusterColumns(), view.layers ? "clusters layered" : "clusters", "Clusters");
  const search = searchable(table, () => (current().detail ? clusterRows(current().detail) : []), () => current().detail && current().detail.rest, "vertices");
  const note = h("div");
  const sizes = h("div");
  const spread = h("p", { class: "quiet" });
  const whole_ = h("div", {}, search.head, table.place, search.rest);
  section("clusters", "The clusters", "Conductance is the share of a cluster’s volume that leaves it; inside is the share that stays. The vertices named have the most weight inside their cluster.",
    note, whole_, h("figure", { style: "margin-top: 1.4rem" }, h("h3", {}, "Sizes"), sizeLegend("vertices"), sizes, h("figcaption", {}, spread))).classList.add("long");
  const draw = responsive(sizes, (width) => (current().detail ? sizeChart(width, current().detail.sizes, "vertices") : h("span")));
  watch(() => {
    const d = current().detail;
    note.replaceChildren(...(d ? [] : [missing()]));
    whole_.hidden = !d;
    search.show();
    draw();
    const quart = d && d.conductance.map((v) => number(v, 3));
    spread.textContent = d ? `Conductance: ${quart[0]} at best, ${quart[4]} at worst, half of the clusters between ${quart[1]} and ${quart[3]}, median ${quart[2]}.${d.disconnected ? ` ${plural(d.disconnected, "cluster")} not connected inside.` : ""}` : "";
  });
}

// Marks a cluster in the table.
function light(cluster) {
  const row = document.querySelector(`#clusters tr[data-cluster="${Number(cluster)}"]`);
  document.querySelectorAll("#clusters tr.lit").forEach((old) => old.classList.remove("lit"));
  if (!row) return;
  row.classList.add("lit");
  const box = row.closest(".scroll");
  box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}
