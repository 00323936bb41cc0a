# Everything that is done with this repository more than once. `make help` lists it.

CARGO ?= cargo

.PHONY: help build test lint additions unit docs soak pages bench reproduce demo schema methods

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-9s %s\n", $$1, $$2 }'

build: toolchain ## build the command `pellucid`
	$(CARGO) build --release

demo: toolchain ## build and publish the bundled example
	$(CARGO) run --release -- demo

test: toolchain lint additions unit docs ## set up what is needed and run all tests

lint: toolchain ## formatting and lints
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

additions: toolchain ## what `cargo scaffold` writes compiles
	scripts/check-scaffold

unit: toolchain ## unit, property, golden and command-line tests
	scripts/with-postgres $(CARGO) test --workspace

docs: toolchain ## the documentation builds without warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

soak: toolchain ## long: random comparisons and kills twenty times over, then whole jobs on large tables (some minutes to an hour)
	PELLUCID_SOAK=20 scripts/with-postgres $(CARGO) test --release --workspace
	$(CARGO) build --release -p pellucid -p pellucid-bench
	target/release/pellucid-bench publish
	target/release/pellucid-bench workload

pages: toolchain ## the pages of reports are valid, accessible and self-contained; screenshots and prints in target/pages
	scripts/check-pages

schema: toolchain ## write the JSON schema of job files again
	$(CARGO) run --release -- schema > docs/job.schema.json

methods: toolchain ## write the reference of all methods again
	$(CARGO) run --release -- list --markdown > docs/methods.md

bench: toolchain ## speed and memory: belief, search and attacks against their bars, publishers as ratios to a DuckDB sort
	bench/run

reproduce: toolchain ## run the experiments of the paper again and write docs/experiments.md; PELLUCID_DATA names the folder of the tables
	$(CARGO) run --release -p pellucid-bench -- reproduce --out docs

.PHONY: toolchain
toolchain:
	@command -v $(CARGO) >/dev/null || { echo 'Rust is not installed; see https://rustup.rs, then run make again'; exit 1; }
	@command -v cc >/dev/null || { echo 'a C compiler (cc) is needed to build zstd and SQLite; install gcc or clang, then run make again'; exit 1; }
