// The page, from top to bottom.
function lead() {
  if (page.points) return `${plural(page.points.clusters, "cluster")} of ${plural(page.points.points, "point")} in ${plural(page.points.dimension, "dimension")}, by ${page.about.fit.method}.`;
  if (!view) return page.spectrum ? `${plural(page.spectrum.count, "eigenvalue")} below ${number(page.spectrum.below)}. ${page.spectrum.verdict}` : "";
  const c = all[view.chosen];
  const where = isPath ? `, best for every resolution β from ${betaText(c)}` : c.beta === undefined ? "" : ` at resolution β = ${number(c.beta)}`;
  return `${plural(c.clusters, "cluster")} of ${plural(view.vertices, "vertex", "vertices")}${where}.`;
}

byId("kind").textContent = page.points ? "Clusters of points" : view ? (isPath ? "Clusterings of a graph" : "Clusters of a graph") : "Spectrum of a graph";
byId("title").textContent = page.title;
byId("lead").textContent = lead();
if (view) {
  if (isPath) slider();
  summary();
  if (isPath) pathSection();
  pictureSection();
  clustersSection();
  if (view.classes) truthSection(() => current().detail && current().detail.truth, view.classes);
}
if (page.points) {
  pointTiles(page.points);
  scatterSection(page.points);
  pointsSection(page.points);
  if (page.points.truth) truthSection(() => page.points.truth, page.points.classes);
}
if (page.spectrum) spectrumSection();
if (page.trace) traceSection();
aboutSection();
byId("made").textContent = `Made by lambdacut${page.about.provenance ? ` ${page.about.provenance.version}` : ""}. This page needs no network and no other file.`;
