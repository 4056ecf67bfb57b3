# One entry for people and for CI; `make` alone lists the targets. Needs Python 3.11+, git and make.
# Pass options on with ARGS, for example: make test ARGS="-k anchor -x"

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Stamps: the runtime is enough for `demo`; everything else needs the tools of the extra `dev`.
RUNTIME := .venv/.runtime
DEV := .venv/.dev

.DEFAULT_GOAL := help
.PHONY: demo test check conformance deep bench fmt lock help clean

demo: $(RUNTIME)  ## show one budgeted lookup over the example documents
	$(BIN)/python -m bench.demo $(ARGS)

test: $(DEV)  ## run the tests and doctests, without the deep ones
	$(BIN)/python -m pytest -m "not deep" $(ARGS)

check: $(DEV)  ## all that CI runs: format, lint, types, arrows, house rules, coverage, the wheel
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -m "not deep" $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/python -m tests.house.wheel
	$(BIN)/python -m tests.house.report

conformance: $(DEV)  ## run the protocol's own suite against the HTTP server; installs it into build/
	$(BIN)/python -m tests.conformance.run $(ARGS)

deep: $(DEV)  ## run the long properties, the faults and the scale tests
	$(BIN)/python -m pytest -m deep --hypothesis-profile=deep $(ARGS)

bench: $(DEV)  ## measure, and print the figures
	$(BIN)/python -m bench $(ARGS)

fmt: $(DEV)  ## format, and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:  ## resolve the dependencies anew and rewrite constraints.txt
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip --disable-pip-version-check install --quiet '.[dev]'
	grep '^#' constraints.txt > build/constraints.txt
	build/lock/bin/python -m pip freeze --exclude marklookup | LC_ALL=C sort -f >> build/constraints.txt
	mv build/constraints.txt constraints.txt

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean:  ## remove everything that make made, the environment too
	rm -rf .venv build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUNTIME): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'marklookup needs Python 3.11 or newer: make PYTHON=python3.12 …'; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --quiet -c constraints.txt -e .
	@touch $@

$(DEV): $(RUNTIME)
	$(PIP) install --quiet -c constraints.txt -e '.[dev]'
	@touch $@
