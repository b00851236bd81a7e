"""Makes the files of this folder from the packages that carry them, unpacked:

    pip download --no-deps networkx==3.6.1 scikit-learn==1.5.2      (a wheel is a zip file)
    apt-get download python3-graph-tool && dpkg -x python3-graph-tool_*.deb graph-tool      (Debian 12)
    python3 datasets/make.py NETWORKX SCIKIT_LEARN GRAPH_TOOL

where the arguments are the folders that hold `networkx/`, `sklearn/` and `usr/`. The generated sets are made by
`lambdacut generate` (see MANIFEST.md).
"""

import csv, gzip, pathlib, struct, sys

HERE = pathlib.Path(__file__).parent
NETWORKX, SKLEARN, GRAPH_TOOL = sys.argv[1:4]


class GraphToolFile:
    """Reads graph-tool's binary format, as far as its collection uses it."""

    def __init__(self, name):
        path = f"{GRAPH_TOOL}/usr/lib/python3/dist-packages/graph_tool/collection/{name}.gt.gz"
        self.data, self.at = gzip.open(path).read(), 8
        self.text()
        self.take("<B")
        n = self.take("<Q")
        width = "B" if n < 1 << 8 else "H" if n < 1 << 16 else "I"
        self.edges = [(v, self.take("<" + width)) for v in range(n) for _ in range(self.take("<Q"))]
        self.properties = {}
        for _ in range(self.take("<Q")):
            kind, name, form = self.take("<B"), self.text(), self.take("<B")
            self.properties[name] = [self.value(form) for _ in range((1, n, len(self.edges))[kind])]
        assert self.at == len(self.data)

    def take(self, form):
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def text(self):
        length = self.take("<Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def value(self, form):
        if form == 6:
            return self.text()
        if form >= 7:
            return [self.value(form - 7) for _ in range(self.take("<Q"))]
        return self.take(("<B", "<h", "<i", "<q", "<d")[form])


def write(name, comment, rows):
    lines = [f"# {comment}"] + ["\t".join(map(str, row)) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def plain(weight):
    return int(weight) if weight == int(weight) else weight


def networkx_graphs():
    sys.path.insert(0, NETWORKX)
    import networkx

    karate = networkx.karate_club_graph()
    write("karate.edges", "member member interactions", sorted((u, v, plain(d["weight"])) for u, v, d in karate.edges(data=True)))
    clubs = {"Mr. Hi": 0, "Officer": 1}
    write("karate.labels", "member club (0: Mr. Hi, 1: Officer)", [(v, clubs[d["club"]]) for v, d in karate.nodes(data=True)])
    lesmis = networkx.les_miserables_graph()
    write("lesmis.edges", "character character chapters", sorted((u, v, plain(d["weight"])) for u, v, d in lesmis.edges(data=True)))


def graph_tool_graphs():
    dolphins = GraphToolFile("dolphins")
    name = dolphins.properties["label"]
    write("dolphins.edges", "dolphin dolphin", [(name[u], name[v]) for u, v in dolphins.edges])
    football = GraphToolFile("football")
    name, p = football.properties["label"], football.properties
    write("football.edges", "team team", [(name[u], name[v]) for u, v in football.edges])
    write("football.labels", "team conference", zip(name, p["value"]))
    write("football-evans.labels", "team conference, corrected by T. S. Evans", zip(name, p["value_tsevans"]))
    books = GraphToolFile("polbooks")
    leaning = {"l": 0, "n": 1, "c": 2}
    write("polbooks.edges", "book book", books.edges)
    write("polbooks.labels", "book leaning (0: liberal, 1: neutral, 2: conservative)",
          [(v, leaning[x]) for v, x in enumerate(books.properties["value"])])
    blogs = GraphToolFile("polblogs")
    write("polblogs.edges", "blog blog (directed links, with loops and repeats)", blogs.edges)
    write("polblogs.labels", "blog leaning (0: liberal, 1: conservative); blogs without a link are here only",
          [(v, int(x)) for v, x in enumerate(blogs.properties["value"])])


def point_sets():
    traits = "radius,texture,perimeter,area,smoothness,compactness,concavity,concave points,symmetry,fractal dimension".split(",")
    cancer = [f"{kind} {trait}" for kind in ("mean", "error of", "worst") for trait in traits]
    wine = "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols proanthocyanins " \
           "color_intensity hue od280/od315_of_diluted_wines proline"
    for name, source, columns in (
        ("iris", "iris", ["sepal length", "sepal width", "petal length", "petal width"]),
        ("wine", "wine_data", wine.split()),
        ("breast-cancer-wisconsin", "breast_cancer", cancer),
    ):
        rows = list(csv.reader(open(f"{SKLEARN}/sklearn/datasets/data/{source}.csv")))
        classes, rows = rows[0][2:], rows[1:]
        with open(HERE / f"{name}.csv", "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(columns + ["class"])
            assert all(len(row) == len(columns) + 1 for row in rows)
            writer.writerows(row[:-1] + [classes[int(row[-1])]] for row in rows)


networkx_graphs()
graph_tool_graphs()
point_sets()
