# Everything runs in .venv, which the first target that needs it makes. PYTHON is any Python >= 3.11.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
# An editable installation compiles nothing, and with PYTHONDONTWRITEBYTECODE no run would keep what it has compiled:
# every start would take half a second more, or a whole one.
COMPILE = $(BIN)/python -m compileall -q sa sacheck

.DEFAULT_GOAL := help
.PHONY: help demo test check fuzz longest bench table gallery golden docs dist schemas clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.installed  ## Set up, then prove that concrete GCD refines abstract GCD
	$(BIN)/sacheck refine specs/closed/gcd/abs.sa specs/closed/gcd/conc.sa

test: $(VENV)/.developer  ## All tests but the long ones
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not fuzz"

check: $(VENV)/.developer  ## What one runs all day: lint, layout, types, fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow and not fuzz"

fuzz: $(VENV)/.developer  ## The long tests: random comparisons, and what takes a second and a half or more
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow or fuzz" tests

longest: $(VENV)/.developer  ## Measure which tests take long: writes tests/longest.txt
	SACHECK_LONGEST=write $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not fuzz"

bench: $(VENV)/.developer  ## The paper's table: verdicts, seconds, sizes
	$(BIN)/python -m bench.table

table: $(VENV)/.developer  ## The frozen table: every question once; AGAINST=FILE compares with an earlier one
	$(BIN)/python -m bench.verdicts $(if $(AGAINST),--against $(AGAINST))

gallery: $(VENV)/.developer  ## Optimisations and their weakest environments: writes docs/OPTIMISATIONS.md
	$(BIN)/python -m bench.gallery

golden: $(VENV)/.developer  ## Write the expected outputs in tests/golden again; read the diff
	SACHECK_GOLDEN=write $(BIN)/python -m pytest tests/report tests/cli tests/certificates

docs: $(VENV)/.documentation  ## The documentation as a site in build/site, which needs no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

dist: $(BIN)/python  ## The wheel and the source distribution, in dist/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build 'hatchling>=1.25'
	$(BIN)/python -m build --no-isolation --outdir dist .

schemas: $(VENV)/.developer  ## Write the schemas of JSON output in docs/schemas again
	SACHECK_GOLDEN=write $(BIN)/python -m pytest tests/report/test_schemas.py -k published

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "sacheck needs Python 3.11 or later; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	$(COMPILE)
	@touch $@

$(VENV)/.documentation: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(VENV)/.developer: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(COMPILE)
	@touch $@ $(VENV)/.installed
