// What was done, and how to do it again; what the words mean.
function facts(title, pairs) {
  const shown = pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== "");
  return shown.length > 0 && h("div", {}, h("h3", {}, title), h("dl", {}, shown.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}

const counted = (names, object) => Object.entries(names).filter(([key]) => object[key]).map(([key, name]) => [name, whole(object[key])]);

function graphFacts(g) {
  return facts("Graph", [["vertices", whole(g.vertices)], ["edges", whole(g.edges)], ["total weight", number(g.total_weight)], ["components", whole(g.components)], ["isolated vertices", whole(g.isolated)]]);
}

function policyFacts(g, where = "the input") {
  const names = { rows: "rows", comments: "comments", self_loops: "self-loops", duplicates: "repeated rows", directed_arcs: "arcs without their reverse", zero_weights: "weights of 0, dropped", skipped_lines: "lines skipped" };
  return facts(`Found in ${where}`, counted(names, g));
}

function answerFacts(a) {
  const kinds = { ncut: "normalized cut", rcut: "ratio cut" };
  const o = a.objective;
  const certificate = a.certificate && a.certificate.bound !== undefined ? [["F is at least", number(a.certificate.bound, 6)], ["gap to that bound", number(a.certificate.gap)]] : [];
  return facts("Answer", [o && ["objective", kinds[o.kind]], o && ["resolution β", o.resolution && number(o.resolution, 6)], o && ["λ", o.lambda && number(o.lambda, 6)], o && ["F", number(o.value, 7)],
    a.fit && ["method", a.fit.method], a.fit && ["passes", whole(a.fit.passes)], a.fit && ["ended by", a.fit.stop.replace(/_/g, " ")], ...certificate]);
}

function runFacts(a) {
  const stages = Object.entries(a.seconds).map(([name, value]) => [`${name}, seconds`, number(value, 3)]);
  const p = a.provenance || {};
  return facts("Run", [...stages, a.memory && ["peak memory", `${whole(a.memory.peak_rss_bytes / 1e6)} MB`], ["threads", p.threads], ["seed", p.seed], ["lambdacut", p.version]]);
}

function copyButton(text) {
  const button = h("button", { type: "button" }, "Copy");
  button.addEventListener("click", () => {
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  });
  return button;
}

const words = [
  ["Resolution β", "A cluster is worth having if the share of its weight that leaves it (its cut ratio) is below β. More β, more clusters."],
  ["Cut", "The sum over all clusters of the weight that leaves them, each divided by the cluster’s mass: its volume (normalized cut) or its number of vertices (ratio cut)."],
  ["F", "What is minimised: the cut minus β for every cluster. Each clustering is a straight line in β; the lowest of these lines at each β makes the path."],
  ["Volume", "The sum of the degrees of a cluster’s vertices."],
  ["Conductance", "The weight that leaves a cluster over its volume, or over the rest’s if that is smaller. 0 is perfect separation."],
  ["Modularity", "The weight inside clusters beyond what the degrees alone would give."],
  ["NMI, ARI", "Agreement with known classes: 1 if equal; ARI is about 0 for labels dealt at random."],
];

function aboutSection() {
  const a = page.about;
  const p = a.provenance;
  const command = p && h("div", { class: "command" }, h("pre", { id: "command", "aria-label": "The command" }, p.command), copyButton(p.command));
  const hash = p && p.input_sha256 && h("p", { class: "quiet", style: "margin-top: 0.6rem; overflow-wrap: anywhere" }, `Input sha256 ${p.input_sha256}`);
  const reading = page.graph && h("details", {}, h("summary", {}, "What the words mean"), h("dl", { class: "reading" }, words.map(([word, text]) => [h("dt", {}, word), h("dd", {}, text)])));
  section("about", "What was done", "The same command on the same input gives the same clusters on any number of threads.",
    h("div", { class: "facts" }, a.graph && graphFacts(a.graph), a.graph && policyFacts(a.graph), (a.layers || []).map((l) => policyFacts(l.graph, l.layer)), answerFacts(a), facts("Parameters", a.parameters), runFacts(a)), command, hash, reading);
}
