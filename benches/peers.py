#!/usr/bin/env python3
"""The comparison with other programs, as the two tables of README.md.

  benches/peers.py PEERS [--data DIR] [--program FILE] [--python FILE] [--only a,b] [--rerun] [--write README.md]

PEERS is a directory with compare.py, which scores every program's labels in the same way (times are seconds of clustering in memory, without
loading), and with measured.txt, what it printed for the peers; --rerun runs the peers again instead. --write puts the tables between the marks
of a file. The path search of lambdacut draws no random numbers, so there is no seed to name.
"""
import argparse, json, os, re, subprocess, sys, tempfile
from pathlib import Path

AGREEMENT = ["football", "polblogs", "email-eu-core", "cora", "lastfm-asia", "mnist-knn10", "lfr10k-mu0.3", "lfr10k-mu0.5",
             "lfr10k-mu0.6", "lfr10k-mu0.7", "lfr200k-mu0.4"]
OBJECTIVE = ["lfr10k-mu0.3", "lfr200k-mu0.4", "com-dblp", "cnr-2000"]
BETA = "0.5"
NAMES = {"igraph-leiden": "Leiden (igraph)", "nk-plm": "PLM (NetworKit)", "nk-leiden": "Leiden (NetworKit)", "nk-mapeq": "map equation (NetworKit)",
         "skn-louvain": "Louvain (scikit-network)", "infomap": "Infomap", "metis": "METIS, told k"}


def rows(text):
    """compare.py's lines: {graph: {program: {column: number}}}."""
    found, graph = {}, None
    for line in text.splitlines():
        if line.startswith("== "):
            graph = found.setdefault(line[3:].strip(), {})
        elif graph is not None and re.match(r"\S+ +k=", line):
            name, *cells = line.split()
            graph[name] = {key: float(value) for key, value in (cell.split("=") for cell in cells)}
    return found


def ours(options, graph, labels, flags):
    """Runs lambdacut; its labels file, and its seconds."""
    with tempfile.TemporaryDirectory() as room:
        out, story = Path(room, "out.labels"), Path(room, "out.json")
        command = [options.program, "cluster", graph, "--self-loops", "drop", "-q", "-o", out, "--json", story, *flags]
        subprocess.run(command, check=True)
        seconds = json.loads(story.read_text())["seconds"]["cluster"]
        table = compare(options, graph, labels, ["--ours", f"lambdacut={out}", "--peers", ""])
    return {**next(iter(rows("== it\n" + table).values()))["lambdacut"], "s": seconds}


def compare(options, graph, labels, flags):
    command = [options.python, Path(options.peers, "compare.py"), graph, "--beta", BETA, *flags]
    command += ["--labels", labels] if labels else []
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def time(s):
    return f"{s:.1f} s" if s >= 1 else f"{1000 * s:.0f} ms"


def agreement(options, peers, files):
    yield "| graph | classes | " + " | ".join(NAMES.values()) + " | **lambdacut** |"
    yield "|---" * (len(NAMES) + 3) + "|"
    for name in filter(options.wanted, AGREEMENT):
        found = ours(options, *files(name), [])
        cell = lambda r: f"{r['NMI']:.3f} · {time(r['s'])}" if r else "–"
        cells = [cell(peers[name].get(peer)) for peer in NAMES] + [f"**{found['NMI']:.3f}** · {time(found['s'])}"]
        yield f"| {name} | {peers[name]['truth']['k']:.0f} | " + " | ".join(cells) + " |"


def objective(options, peers, files):
    yield "| graph | best peer | **lambdacut** `--effort fast` | **lambdacut** | true classes |"
    yield "|---|---|---|---|---|"
    for name in filter(options.wanted, OBJECTIVE):
        best = min((peer for peer in NAMES if peer in peers[name]), key=lambda peer: peers[name][peer]["F"])
        cell = lambda r: f"{r['F']:.1f} · {r['k']:.0f} clusters · {time(r['s'])}"
        fast, normal = (ours(options, *files(name), ["--resolution", BETA, *flags]) for flags in (["--effort", "fast"], []))
        truth = peers[name].get("truth")
        known = f"{truth['F']:.1f} · {truth['k']:.0f} clusters" if truth else "–"
        yield f"| {name} | {cell(peers[name][best])} ({NAMES[best]}) | {cell(fast)} | {cell(normal)} | {known} |"


def put(file, mark, lines):
    text = file.read_text()
    pattern = re.compile(f"(<!-- {mark}:begin[^>]*-->\n).*?(<!-- {mark}:end -->)", re.S)
    if not pattern.search(text):
        sys.exit(f"{file} has no marks {mark}:begin and {mark}:end")
    file.write_text(pattern.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("peers", type=Path)
    p.add_argument("--data", type=Path, default=os.environ.get("LAMBDACUT_DATA", "../shared/data"))
    p.add_argument("--program", default="target/release/lambdacut")
    p.add_argument("--python", default=os.environ.get("LAMBDACUT_PEERS_PYTHON"), help="an interpreter that has what compare.py needs (default: PEERS/.venv)")
    p.add_argument("--only", help="these graphs alone")
    p.add_argument("--rerun", action="store_true")
    p.add_argument("--write", type=Path)
    options = p.parse_args()
    own = Path(options.peers, ".venv/bin/python")
    options.python = options.python or (own if own.exists() else sys.executable)
    only = options.only.split(",") if options.only else None
    options.wanted = lambda name: only is None or name in only

    def files(name):
        graph, labels = (Path(options.data, "graphs", f"{name}.{end}.gz") for end in ("edges", "labels"))
        return str(graph), str(labels) if labels.exists() else None

    if options.rerun:
        wanted = [name for name in dict.fromkeys(AGREEMENT + OBJECTIVE) if options.wanted(name)]
        peers = rows("".join(f"== {name}\n{compare(options, *files(name), [])}\n" for name in wanted))
    else:
        peers = rows(Path(options.peers, "measured.txt").read_text())
    for mark, title, table in [("peers-agreement", "agreement with the known classes (NMI) and seconds; nobody is given a parameter", agreement),
                               ("peers-objective", f"F at β = {BETA}, lower is better", objective)]:
        lines = []
        print(title, flush=True)
        for line in table(options, peers, files):
            print(line, flush=True)
            lines.append(line)
        if options.write:
            put(options.write, mark, lines)


if __name__ == "__main__":
    main()
