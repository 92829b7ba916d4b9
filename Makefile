# Each command does everything, set-up included: `make demo`, `make test`, `make docs`, `make bench` beside other systems, and
# `make dist` for what is published.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo
SCALE := $(if $(QUICK),quick,full)

.PHONY: demo test check docs bench bench-quick dist clean

demo: $(VENV)/.demo
	$(BIN)/chronotope demo --out $(OUT)

test: check
	$(BIN)/pytest

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

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
