# make demo     installs what is missing (as root), builds, clusters a bundled graph and shows the result
# make test     every test, doc examples included
# make bench    measures every claim and ends with one table: ratio, target, met or not; about a quarter of an hour (BENCHES="pass search" for some of them)
# make peers    the tables that compare us with other programs, where PEERS has them (WRITE=README.md puts them there, RERUN=yes runs the peers too)
# make doc      the documentation, in target/doc/lambdacut/index.html

GRAPH := datasets/football.edges
TRUTH := datasets/football.labels
LAMBDACUT := target/release/lambdacut

BENCHES := load metrics pass points search spectrum choice
PEERS := ../shared/peers

.PHONY: demo test bench peers doc deps

demo: deps
	cargo build --release --package lambdacut-cli
	@echo
	@echo "$(LAMBDACUT) cluster $(GRAPH) --truth $(TRUTH) -o target/football.clusters"
	@$(LAMBDACUT) cluster $(GRAPH) --truth $(TRUTH) -o target/football.clusters
	@echo
	@echo "The first lines of target/football.clusters (team, cluster):"
	@grep -v '^#' target/football.clusters | head -n 8

test: deps
	cargo test --workspace

bench: deps
	cargo build --release --quiet --package lambdacut-cli
	cargo bench --quiet --workspace --no-run
	@echo "== all stages (lambdacut bench)"; $(LAMBDACUT) bench --quiet --threads 1,2
	@for bench in $(BENCHES); do echo; echo "== $$bench (benches/$$bench.rs)"; cargo bench --quiet --workspace --bench $$bench || exit 1; done
	@echo; echo "== all ratios (benches/table.rs)"; cargo bench --quiet --workspace --bench table -- $(BENCHES)

peers: deps
	@test -e $(PEERS)/compare.py || { echo "There is no $(PEERS)/compare.py: say where it is with PEERS=DIR." >&2; exit 1; }
	cargo build --release --quiet --package lambdacut-cli
	python3 benches/peers.py $(PEERS) --program $(LAMBDACUT) $(if $(RERUN),--rerun) $(if $(WRITE),--write $(WRITE))

doc: deps
	cargo doc --workspace --no-deps

# A C compiler (for linking and for zstd) and LAPACK: installed if they are missing and we may, named if we may not.
deps:
	@missing=""; \
	command -v cc >/dev/null || missing="$$missing gcc libc6-dev"; \
	if [ -z "$$OPENBLAS_LIB_DIR" ] && ! { pkg-config --exists openblas || pkg-config --exists lapack; } 2>/dev/null; then \
		missing="$$missing pkg-config libopenblas-dev"; \
	fi; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ca-certificates $$missing; \
	else \
		echo "Please install:$$missing (Debian, Ubuntu: apt-get install$$missing)." >&2; exit 1; \
	fi
