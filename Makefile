# Thin over the CMake presets; `make help` lists the targets.
#   make build PRESET=portable   another preset        make test V=1   the output of every stage as it comes
PRESET ?= release
JOBS ?= $(shell nproc)
HOURS ?= 8

.DEFAULT_GOAL := help
.PHONY: help run build test campaign bench format clean dependencies test-dependencies

help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:[^#]*## /\t/' | awk -F'\t' '{printf "make %-8s %s\n", $$1, $$2}'

run: build ## install what is missing, build, simulate the crane; replay, rows and plots in out/
	@mkdir -p out
	@html=; test ! -e build/web/page.js || html="--html out/crane.html"; \
	  build/catena run examples/crane.yaml --out out/crane.csv --svg out $$html
	@echo "Results in out/:" && ls out
	@test ! -e out/crane.html || echo "Watch the run: open file://$(CURDIR)/out/crane.html in a browser"

build: dependencies ## the command, optimised for this machine, at build/catena
	@tools/build.sh $(PRESET) $(JOBS)

test: dependencies test-dependencies ## every check; the last line counts the stages that passed and failed
	@JOBS=$(JOBS) V=$(V) tools/run_checks.sh

campaign: dependencies test-dependencies ## random mechanisms and more, for HOURS (8); resumable, prints a table
	@tools/build.sh campaign $(JOBS)
	@tools/install_dependencies.sh fuzz && cmake --preset fuzz > /dev/null && cmake --build --preset fuzz --parallel $(JOBS)
	@tools/campaign.py --hours $(HOURS)

bench: build ## the tables of the literature and the scaling of the solvers
	@status=0; for name in speed baraff witkin hernandez loops; do build/catena bench $$name || status=1; done; exit $$status

format: ## rewrite the sources as .clang-format says
	@tools/check_format.sh --fix

clean: ## remove build/ and out/
	@rm -rf build out

dependencies:
	@tools/install_dependencies.sh build

test-dependencies:
	@tools/install_dependencies.sh test
