# Each command does everything, set-up included: `make demo`, `make test` (`make test-quick` for the quick ones of the
# tests, `make test-cluster` for long ones on a Dask cluster), `make docs`, `make bench` beside other systems, and `make
# dist` for what is published.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo
SCALE := $(if $(QUICK),quick,full)

JOBS ?= 2
COMPILED := $(wildcard src/chronotope/loops/*.py src/chronotope/gp/*.py src/chronotope/inference/*.py src/chronotope/evaluate/windows.py)

.PHONY: demo test test-quick test-cluster check docs bench bench-quick dist clean

demo: $(VENV)/.demo
	$(BIN)/chronotope demo --out $(OUT)

test: $(VENV)/.test
	$(MAKE) --jobs=2 check $(VENV)/.compiled
	$(BIN)/pytest --numprocesses=$(JOBS) --dist=worksteal

# what is quick to run, after every change; `make test` is what must pass
test-quick: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest --numprocesses=$(JOBS) --dist=worksteal -m 'not slow and not long'

# fifty kills over ten fits on a cluster of this machine, and fits with one, two and four workers
test-cluster: $(VENV)/.test
	$(BIN)/pytest -m long tests/cluster

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# numba does not notice a change of a loop that another file's loop calls: all are compiled anew, once for all tests
$(VENV)/.compiled: $(VENV)/.test $(COMPILED) tests/compile_loops.py
	find src -name '*.nb[ci]' -delete
	$(BIN)/python tests/compile_loops.py
	touch $@

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict --site-dir site

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks --scale $(SCALE) $(if $(ONLY),--only '$(ONLY)') $(if $(CORPUS),--corpus '$(CORPUS)')

bench-quick:
	$(MAKE) bench QUICK=1

dist: $(VENV)/.dist
	$(BIN)/python tools/check_dist.py

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Chronotope needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	touch $@

$(VENV)/.demo: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	touch $@

$(VENV)/.test: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[demo,test]'
	touch $@

$(VENV)/.docs: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

$(VENV)/.bench: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@

$(VENV)/.dist: $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2' 'twine>=6.1'
	touch $@

clean:
	rm -rf $(VENV) $(OUT) site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
