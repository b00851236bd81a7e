// The page, from top to bottom.
function lead() {
  if (page.points) return `${plural(page.points.clusters, "cluster")} of ${plural(page.points.points, "point")} in ${plural(page.points.dimension, "dimension")}, by ${page.about.fit.method}.`;
  if (!view) return page.spectrum ? `${plural(page.spectrum.count, "eigenvalue")} below ${number(page.spectrum.below)}.` : "";
  const c = all[view.chosen];
  const at = isPath || c.beta === undefined ? "" : ` at resolution β = ${number(c.beta)}`;
  const where = c.interval ? `, best for every resolution β from ${betaText(c)}` : "";
  const what = view.layers ? `${plural(view.vertices, "copy", "copies")} of vertices in ${plural(view.layers.total, "layer")}` : plural(view.vertices, "vertex", "vertices");
  return `${plural(c.clusters, "cluster")} of ${what}${at}${where}.`;
}

function kind() {
  if (page.points) return "Clusters of points";
  if (!view) return "Spectrum of a graph";
  return view.layers ? "Clusters of several graphs" : isPath ? "Clusterings of a graph" : "Clusters of a graph";
}

byId("kind").textContent = kind();
byId("title").textContent = page.title;
byId("lead").textContent = lead();
if (view) {
  if (isPath) slider();
  summary();
  if (isPath) pathSection();
  pictureSection();
  clustersSection();
  if (view.layers) layersSection();
  if (view.classes) truthSection(() => current().detail && current().detail.truth, view.classes);
}
if (page.points) {
  pointTiles(page.points);
  scatterSection(page.points);
  if (page.points.curve) curveSection(page.points.curve);
  pointsSection(page.points);
  if (page.points.truth) truthSection(() => page.points.truth, page.points.classes);
}
if (page.spectrum) spectrumSection();
if (page.trace && page.trace.length > 1) traceSection();
aboutSection();
byId("made").textContent = `Made by lambdacut${page.about.provenance ? ` ${page.about.provenance.version}` : ""}. This page needs no network and no other file.`;
