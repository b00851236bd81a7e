//! `lambdacut generate`: graphs and points whose clusters are known.

use super::common::{Global, Progress, command_line};
use super::output::{provenance, write_json};
use anyhow::bail;
use clap::{Args, Subcommand};
use lambdacut::generate::{Affinity, Blobs, Cliques, LabelledPoints, Lfr, Planted, Rmat, Sbm};
use lambdacut::graph::Names;
use lambdacut::io::{self, Format};
use lambdacut::params::DEFAULT_SEED;
use lambdacut::run::{Event, Observer};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `generate`.
#[derive(Debug, Args)]
#[command(
    after_help = "The same parameters and seed give the same file on every machine and any number of threads.\n\n\
Examples:\n  \
lambdacut generate lfr --vertices 10000 --mixing 0.4 -o lfr.edges --truth lfr.labels\n  \
lambdacut generate sbm --sizes 500,300,200 --inside 0.1 --between 0.01 -o blocks.edges.gz --truth blocks.labels\n  \
lambdacut generate rmat --scale 23 --arcs 100000000 -o rmat.edges\n  \
lambdacut generate blobs --points 300 --clusters 3 --separation 6 -o blobs.csv"
)]
pub struct GenerateArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The benchmark of Lancichinetti, Fortunato and Radicchi: power-law degrees and community
    /// sizes, and a share of every vertex's edges (the mixing) that leaves its community. Above a
    /// mixing of about 0.5 communities get hard to find.
    Lfr(LfrArgs),
    /// Stochastic block model: an edge between two vertices has a probability that depends on their
    /// blocks alone. With --degree-exponent the degree-corrected form, whose degrees are spread
    /// within each block.
    Sbm(SbmArgs),
    /// R-MAT: skewed random arcs without planted clusters, for load tests. Written as they are
    /// made: any number of arcs in bounded memory. Loops and repeats are left in, as is usual.
    Rmat(RmatArgs),
    /// A ring of cliques, each joined to the next by one edge: the textbook case in which clusters
    /// can be too small to be seen.
    Cliques(CliquesArgs),
    /// Gaussian points around random centres, as CSV with a header and the cluster in the last
    /// column (`class`).
    Blobs(BlobsArgs),
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Destination {
    /// The file to write; its name tells the format, `….gz` and `….zst` are compressed, `-` is
    /// standard output.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Where to write the true clusters: a labels file, one `vertex<TAB>cluster` line a vertex.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Where to write what was made (sizes, mixing, average degree) as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct LfrArgs {
    /// Number of vertices.
    #[arg(long, short = 'n', default_value_t = Lfr::default().vertices)]
    vertices: usize,
    /// Average degree.
    #[arg(long, default_value_t = Lfr::default().average_degree)]
    average_degree: f64,
    /// Largest degree.
    #[arg(long, default_value_t = Lfr::default().max_degree)]
    max_degree: u32,
    /// Exponent of the power law of degrees; usually 2 to 3.
    #[arg(long, value_name = "TAU1", default_value_t = Lfr::default().degree_exponent)]
    degree_exponent: f64,
    /// Exponent of the power law of community sizes; usually 1 to 2.
    #[arg(long, value_name = "TAU2", default_value_t = Lfr::default().community_exponent)]
    community_exponent: f64,
    /// Share of a vertex's neighbours outside its community, from 0 (separate) to 1.
    #[arg(long, value_name = "MU", default_value_t = Lfr::default().mixing)]
    mixing: f64,
    /// Smallest community (default: the smallest degree, at least 3).
    #[arg(long, value_name = "SIZE")]
    min_community: Option<usize>,
    /// Largest community (default: one more than the largest degree).
    #[arg(long, value_name = "SIZE")]
    max_community: Option<usize>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    #[command(flatten)]
    to: Destination,
}

#[derive(Debug, Args)]
struct SbmArgs {
    /// Number of blocks of equal size.
    #[arg(long, default_value_t = 10, conflicts_with = "sizes")]
    blocks: usize,
    /// Vertices of each block.
    #[arg(long, default_value_t = 100, conflicts_with = "sizes")]
    size: usize,
    /// Different block sizes, instead of --blocks and --size.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    sizes: Option<Vec<usize>>,
    /// Probability of an edge inside a block.
    #[arg(long, value_name = "P", default_value_t = 0.2)]
    inside: f64,
    /// Probability of an edge between blocks.
    #[arg(long, value_name = "P", default_value_t = 0.005)]
    between: f64,
    /// All probabilities as a symmetric matrix, row by row, instead of --inside and --between.
    #[arg(long, value_name = "P,P,…", value_delimiter = ',', conflicts_with_all = ["inside", "between"])]
    matrix: Option<Vec<f64>>,
    /// Degree-corrected: the exponent of the power law from which every vertex's propensity is
    /// drawn.
    #[arg(long, value_name = "EXPONENT")]
    degree_exponent: Option<f64>,
    /// Degree-corrected: the largest propensity, in multiples of the smallest.
    #[arg(
        long,
        value_name = "RATIO",
        default_value_t = 100,
        requires = "degree_exponent"
    )]
    degree_spread: u32,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    #[command(flatten)]
    to: Destination,
}

#[derive(Debug, Args)]
struct RmatArgs {
    /// There are 2^SCALE vertices.
    #[arg(long, default_value_t = Rmat::default().scale)]
    scale: u32,
    /// Number of arcs, loops and repeats included (default: 16 for each vertex).
    #[arg(long, visible_alias = "edges", value_name = "COUNT")]
    arcs: Option<u64>,
    /// Probability of the upper left quadrant.
    #[arg(short, default_value_t = Rmat::default().a)]
    a: f64,
    /// Probability of the upper right quadrant.
    #[arg(short, default_value_t = Rmat::default().b)]
    b: f64,
    /// Probability of the lower left quadrant; the rest is the lower right one's.
    #[arg(short, default_value_t = Rmat::default().c)]
    c: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// The edge list to write; `….gz` and `….zst` are compressed, `-` is standard output.
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    /// Where to write what was made as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CliquesArgs {
    /// Number of cliques.
    #[arg(long, default_value_t = Cliques::default().cliques)]
    cliques: usize,
    /// Vertices of each clique.
    #[arg(long, default_value_t = Cliques::default().size)]
    size: usize,
    #[command(flatten)]
    to: Destination,
}

#[derive(Debug, Args)]
struct BlobsArgs {
    /// Number of points.
    #[arg(long, short = 'n', default_value_t = Blobs::default().points)]
    points: usize,
    /// Number of clusters; their sizes differ by at most 1.
    #[arg(long, short = 'k', default_value_t = Blobs::default().clusters)]
    clusters: usize,
    /// Number of coordinates.
    #[arg(long, short, default_value_t = Blobs::default().dimensions)]
    dimensions: usize,
    /// Standard deviation in every direction.
    #[arg(long, default_value_t = Blobs::default().deviation)]
    deviation: f64,
    /// Centres lie within this distance of 0 in every coordinate.
    #[arg(long, default_value_t = Blobs::default().extent)]
    extent: f64,
    /// Smallest distance of two centres, in standard deviations.
    #[arg(long, default_value_t = Blobs::default().separation)]
    separation: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    #[command(flatten)]
    to: Destination,
}

/// Makes the data, writes it, and says what was made.
pub fn run(args: &GenerateArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let progress = global.progress_without_result()?;
    progress.event(Event::Stage {
        name: "generating",
        total: None,
    });
    let summary = match &args.what {
        What::Lfr(args) => planted(&lfr(args)?, &args.to, args.seed, &progress)?,
        What::Sbm(args) => planted(&sbm(args)?, &args.to, args.seed, &progress)?,
        What::Cliques(args) => {
            // Nothing here is random.
            planted(
                &Cliques {
                    cliques: args.cliques,
                    size: args.size,
                }
                .generate()?,
                &args.to,
                0,
                &progress,
            )?
        }
        What::Blobs(args) => points(&blobs(args)?, &args.to, args.seed, &progress)?,
        What::Rmat(args) => rmat(args, &progress)?,
    };
    progress.say(&summary);
    Ok(ExitCode::SUCCESS)
}

fn lfr(args: &LfrArgs) -> anyhow::Result<Planted> {
    let lfr = Lfr {
        vertices: args.vertices,
        average_degree: args.average_degree,
        max_degree: args.max_degree,
        degree_exponent: args.degree_exponent,
        community_exponent: args.community_exponent,
        mixing: args.mixing,
        min_community: args.min_community,
        max_community: args.max_community,
        seed: args.seed,
    };
    Ok(lfr.generate()?)
}

fn sbm(args: &SbmArgs) -> anyhow::Result<Planted> {
    let sbm = Sbm {
        sizes: args
            .sizes
            .clone()
            .unwrap_or_else(|| vec![args.size; args.blocks]),
        affinity: match &args.matrix {
            Some(entries) => Affinity::Matrix(entries.clone()),
            None => Affinity::Planted {
                inside: args.inside,
                between: args.between,
            },
        },
        propensity: args
            .degree_exponent
            .map(|exponent| (exponent, args.degree_spread)),
        seed: args.seed,
    };
    Ok(sbm.generate()?)
}

fn blobs(args: &BlobsArgs) -> anyhow::Result<LabelledPoints> {
    let &BlobsArgs {
        points,
        clusters,
        dimensions,
        deviation,
        extent,
        separation,
        seed,
        ..
    } = args;
    Ok(Blobs {
        points,
        clusters,
        dimensions,
        deviation,
        extent,
        separation,
        seed,
    }
    .generate()?)
}

fn rmat(args: &RmatArgs, progress: &Progress) -> anyhow::Result<String> {
    if Format::of_name(&args.output)? != Format::EdgeList {
        bail!(
            "{}: R-MAT arcs are written as an edge list; turn it into another format with `lambdacut convert`",
            args.output.display()
        );
    }
    let arcs = args.arcs.unwrap_or_else(|| 16 << args.scale.min(31));
    let rmat = Rmat {
        scale: args.scale,
        arcs,
        a: args.a,
        b: args.b,
        c: args.c,
        seed: args.seed,
    }
    .checked()?;
    progress.write(&args.output, |out| rmat.write_to(out, progress))?;
    let made = json!({
        "generated": { "vertices": 1u64 << args.scale, "arcs": arcs },
        "provenance": provenance("", args.seed),
    });
    write_json(args.json.as_deref(), &made)?;
    Ok(format!(
        "{arcs} arcs between 2^{} = {} vertices",
        args.scale,
        1u64 << args.scale
    ))
}

/// Writes a graph and what belongs to it; the summary.
fn planted(
    made: &Planted,
    to: &Destination,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<String> {
    let format = Format::of_name(&to.output)?;
    let graph = made.graph()?;
    let names = Names::numbers(made.vertices);
    progress.write(&to.output, |out| {
        io::write_graph_to(out, format, &graph, &names, None)
    })?;
    write_truth(to, &names, &made.truth, progress)?;
    let clusters = made.truth.iter().max().map_or(0, |&c| c as usize + 1);
    let (average, isolated) = (graph.volume() / made.vertices as f64, graph.isolated());
    write_json(
        to.json.as_deref(),
        &json!({
            "graph": { "vertices": made.vertices, "edges": graph.edges(), "total_weight": graph.total_weight(), "isolated": isolated },
            "generated": { "clusters": clusters, "average_degree": average, "mixing": made.mixing() },
            "provenance": provenance("", seed),
        }),
    )?;
    let lonely = if isolated > 0 {
        format!(" ({isolated} without an edge, which an edge list cannot name)")
    } else {
        String::new()
    };
    Ok(format!(
        "{} vertices{lonely}, {} edges, {clusters} clusters; average degree {average:.2}, mixing {:.4}",
        made.vertices,
        graph.edges(),
        made.mixing()
    ))
}

/// Writes points as CSV, the cluster in the last column; the summary.
fn points(
    made: &LabelledPoints,
    to: &Destination,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<String> {
    let write = |out: &mut dyn std::io::Write| {
        let header: Vec<String> = (1..=made.dimensions).map(|x| format!("x{x}")).collect();
        writeln!(out, "{},class", header.join(","))?;
        for (point, class) in made.values.chunks_exact(made.dimensions).zip(&made.truth) {
            for value in point {
                write!(out, "{value},")?;
            }
            writeln!(out, "{class}")?;
        }
        Ok(())
    };
    progress.write(&to.output, write)?;
    write_truth(to, &Names::numbers(made.truth.len()), &made.truth, progress)?;
    let clusters = made.centres.len() / made.dimensions;
    write_json(
        to.json.as_deref(),
        &json!({
            "generated": { "points": made.truth.len(), "dimensions": made.dimensions, "clusters": clusters },
            "provenance": provenance("", seed),
        }),
    )?;
    Ok(format!(
        "{} points of {} coordinates around {clusters} centres",
        made.truth.len(),
        made.dimensions
    ))
}

fn write_truth(
    to: &Destination,
    names: &Names,
    truth: &[u32],
    progress: &Progress,
) -> anyhow::Result<()> {
    let Some(path) = &to.truth else { return Ok(()) };
    let lines = [
        format!("lambdacut {}", env!("CARGO_PKG_VERSION")),
        command_line(),
    ];
    let format = io::LabelsFormat::of_name(path)?;
    progress.write(path, |out| {
        io::write_labels_to(out, format, names, truth, &lines)
    })
}
