# make setup   one virtual environment in .venv, from hashed pins; redone when the pins or pyproject.toml change
# make check   formatting, lint and types
# make test    check, then every test and doctest, with the coverage of engine; brings mosquitto (Debian) if it is root
# make faults  the long forms of the fault tests: kills, power cuts, lost brokers, cameras and disks, hours of rounds
# make demo    the bundled video replayed, and its report opened
# make browser the pages in a real browser; needs chromium and chromedriver (Debian: chromium, chromium-driver)
# make bench   speed figures, each beside its yardstick
# make fuzz    the coverage-guided fuzzer over the judge, for seconds=600
# make physical  Blender (1 GB) into .venv, then the tests that render with it
# make ray     Ray into .venv, then the tests of a cluster of two nodes
# make training  torch and ultralytics (large) into .venv, then the tests that train with them
# make models  from nothing to the shipped weights: data, training (a week of two cores), export, figures; can be stopped
# make clean   removes everything the other targets made

bin := .venv/bin
engine_coverage := 100
workers := 2  # processes that share the tests; each takes up to 0.8 GB
parallel = -n $(workers) --dist worksteal
seconds := 600
sets = $(or $(FELTWATCH_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/feltwatch)/sets
photographs :=  # a folder of photographs of cards that the networks learn from too

# The first of these that runs at all (a version manager may list one it cannot start); or say make PYTHON=...
PYTHON ?= $(shell python3.11 --version >/dev/null 2>&1 && echo python3.11 || echo python3)

.PHONY: setup check mosquitto test faults browser demo bench fuzz physical ray training models clean
.DEFAULT_GOAL := test

setup: .venv/.ready

.venv/.ready: pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	    || { echo 'feltwatch needs Python 3.11 or newer as python3.11 or python3; or name one: make PYTHON=...' >&2; exit 1; }
	@echo 'setup: .venv'
	@test -e $@ || $(PYTHON) -m venv --clear .venv
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@mkdir -p .venv/typed/feltwatch
	@ln -sfn ../../../edge/api/__init__.py .venv/typed/feltwatch/__init__.py
	@for part in engine vision models datasets edge; do ln -sfn ../../../$$part .venv/typed/feltwatch/$$part; done
	@touch $@

check: setup
	@$(bin)/ruff format --check --quiet . || { echo 'check: to format, $(bin)/ruff format .' >&2; exit 1; }
	@$(bin)/ruff check --quiet .
	@$(bin)/mypy --no-error-summary

mosquitto:
	@PATH="$$PATH:/usr/sbin"; command -v mosquitto >/dev/null && command -v mosquitto_sub >/dev/null && exit 0; \
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq >/dev/null && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mosquitto mosquitto-clients >/dev/null && exit 0; \
	    echo 'the tests need a real broker: install mosquitto and mosquitto-clients' >&2; exit 1

test: setup check mosquitto
	@$(bin)/pytest $(parallel) --cov --cov-report=term-missing:skip-covered --cov-fail-under=$(engine_coverage)

faults: setup mosquitto
	@$(bin)/pytest $(parallel) tests/faults/long_runs.py

browser: setup
	@$(bin)/pytest tests/browser/pages.py

demo: setup
	@$(bin)/feltwatch demo

bench: setup
	@$(bin)/feltwatch bench

fuzz: setup
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/fuzz.txt
	@$(bin)/python -m tests.fuzz.run $(seconds)
	@$(bin)/python -m tests.fuzz.keep

physical: setup
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/physical.txt
	@$(bin)/pytest tests/datasets/physical/rendering.py

ray: setup
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[ray]'
	@$(bin)/pytest tests/edge/replay/cluster.py

training: setup
	@$(bin)/python -m pip install --quiet --disable-pip-version-check -e '.[train]'
	@$(bin)/pytest tests/models/training/learning.py

models: training
	@$(bin)/python -m feltwatch.datasets fetch
	@$(bin)/python -m feltwatch.datasets set tables -o $(sets)/tables --count 4600 --seed 41
	@$(bin)/python -m feltwatch.datasets set strewn -o $(sets)/strewn --count 2500 --seed 42
	@$(bin)/python -m feltwatch.models train detector --steps 160000 $(photographs:%=--photographs %)
	@$(bin)/python -m feltwatch.models train detector --cooldown 20000 $(photographs:%=--photographs %)
	@$(bin)/python -m feltwatch.models train fitter --steps 40000 $(photographs:%=--photographs %)
	@$(bin)/python -m feltwatch.models train fitter --cooldown 5000 $(photographs:%=--photographs %)
	@$(bin)/python -m feltwatch.models train reader --steps 20000 $(photographs:%=--photographs %)
	@$(bin)/python -m feltwatch.models train reader --cooldown 2500 $(photographs:%=--photographs %)
	@for kind in detector fitter reader; do $(bin)/python -m feltwatch.models export $$kind || exit 1; done
	@$(bin)/python -m feltwatch.models evaluate calibrate --write
	@$(bin)/python -m feltwatch.models evaluate ladder --split val --count 400 --write

clean:
	@rm -rf .venv .fuzz feltwatch-demo .*-feltwatch-demo build dist *.egg-info .coverage .coverage.* htmlcov .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
