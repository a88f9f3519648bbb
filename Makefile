# Needs only python3 (3.11 or newer) with its venv module, and pip. Another interpreter: PYTHON=python3.12 make setup
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
comma := ,
STAMP := $(VENV)/.stamp
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# $(call install,ENVIRONMENT,WHAT): with uv in seconds, or, where uv does not get at what only pip is told of, with pip.
install = { $(BIN)/uv pip install --quiet --python $(1)/bin/python $(2) \
	|| { echo "uv could not install this; trying pip" >&2; $(PIP) --python $(1)/bin/python install $(2); }; }
# $(call environment,FOLDER): an empty environment, if there is none yet.
environment = { test -x $(1)/bin/python || { echo "making $(1) with $$("$(PYTHON)" -V)"; "$(PYTHON)" -m venv --without-pip $(1); }; }
# $(call debian,PACKAGES,PROGRAMS): if a program is missing, with apt-get; one at a time, since dpkg has one lock.
debian = { missing=; for name in $(2); do PATH="$$PATH:/usr/sbin:/sbin" command -v $$name >/dev/null || missing=yes; done; \
	if [ -n "$$missing" ]; then \
		echo "installing $(1)"; sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; get="$$sudo flock Makefile apt-get"; \
		$$get install -qq --yes --no-install-recommends $(1) >/dev/null \
			|| { $$get update -qq; $$get install -qq --yes --no-install-recommends $(1) >/dev/null; }; fi; }
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
ifdef PIP_FIND_LINKS
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif

CODE := $(wildcard src tests benchmarks studies examples)
TYPED := $(wildcard src tests benchmarks studies)
BENCHMARKS := $(filter-out benchmarks/_%,$(sort $(wildcard benchmarks/*.py)))

# Training has an environment of its own: gigabytes that nothing else needs. Elsewhere than on a machine with a local wheel,
# pip takes a build for GPUs: make train-test TORCH='torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu'
TRAIN := .venv-train
TRAIN_STAMP := $(TRAIN)/.stamp
TORCH ?= torch==2.13.0

# Frameworks that worlds are used from: an environment each, because their releases do not install together.
ADAPTERS := $(notdir $(patsubst %/,%,$(dir $(sort $(wildcard tests/adapters/*/requirements.lock)))))

.PHONY: help setup demo test check durations coverage train-test adapters-test fuzz lint format types bench lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
		| while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## Make .venv with everything pinned by requirements.lock

$(STAMP): requirements.lock pyproject.toml
	@"$(PYTHON)" -c '' >/dev/null 2>&1 || { \
		echo "$(PYTHON) is missing: install Python 3.11 or newer (Debian, Ubuntu: sudo apt-get install python3 python3-venv)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is $$("$(PYTHON)" -V 2>&1), but Python 3.11 or newer is needed: PYTHON=python3.12 make setup" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "python3-venv is missing: sudo apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/pip || { echo "making $(VENV) with $$("$(PYTHON)" -V)"; "$(PYTHON)" -m venv $(VENV); }
	@echo "installing requirements.lock"
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > $(VENV)/uv.lock; $(PIP) install --require-hashes -r $(VENV)/uv.lock
	@$(call install,$(VENV),--require-hashes -r requirements.lock)
	@$(call install,$(VENV),--no-deps --no-build-isolation -e .)
	@touch $@

demo: setup ## Build a world and play an episode in it
	@$(BIN)/worldwright demo

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

test: setup ## Run the tests, of the slow ones a twelfth (ARGS='-k name' to narrow, WORLDWRIGHT_EFFORT=full as in CI)
	$(PYTEST) $(ARGS)

check: setup ## Run what belongs to the files you changed, within a minute (BASE=main to compare with another commit)
	@$(BIN)/python -m tests.changed --base $(or $(BASE),HEAD) $(ARGS)

durations: setup ## Measure every test (half an hour) and write down which are slow
	WORLDWRIGHT_EFFORT=full $(PYTEST) -m "slow or not slow" $(ARGS)
	@$(BIN)/python -m tests.timing

coverage: setup ## Run the tests and say which lines they never reach, which takes longer
	$(PYTEST) --cov --cov-report=term $(ARGS)

train-test: $(TRAIN_STAMP) ## Run the tests that need torch and TRL, in an environment of their own (ARGS='-k name' to narrow)
	$(TRAIN)/bin/python -m pytest tests/train $(ARGS)

$(TRAIN_STAMP): pyproject.toml | $(STAMP)
	@$(call environment,$(TRAIN))
	@echo "installing $(TORCH) and the extra \`train\`"
	@$(PIP) --python $(TRAIN)/bin/python install --no-compile $(TORCH)
	@$(call install,$(TRAIN),-e '.[cli$(comma)data$(comma)train]' hypothesis 'pytest>=9.0$(comma)<9.2' pytest-timeout)
	@touch $@

adapters-test: $(ADAPTERS:%=.venvs/%/.stamp) $(if $(filter browsergym,$(ADAPTERS)),browser-tools) ## Run the tests of every framework in its own environment (ADAPTERS=gymnasium for one)
	@for name in $(ADAPTERS); do echo "== $$name"; .venvs/$$name/bin/python -m pytest -q tests/adapters/$$name $(ARGS); done

.venvs/%/.stamp: tests/adapters/%/requirements.lock pyproject.toml | $(STAMP)
	@$(call environment,.venvs/$*)
	@echo "installing tests/adapters/$*/requirements.lock"
	@$(call install,.venvs/$*,-r tests/adapters/$*/requirements.lock)
	@$(call install,.venvs/$*,--no-deps --no-build-isolation -e .)
	@touch $@

# What the tests of registries and containers need of Debian; they are installed where they are missing and that is allowed.
OCI_TOOLS := docker-registry skopeo umoci runc podman mmdebstrap
.PHONY: oci-test oci-tools
oci-test: setup oci-tools .oci/base.tar ## Run the tests of registries and containers with the real programs (Debian; ARGS='-k name' to narrow)
	WORLDWRIGHT_CI=1 $(BIN)/python -m pytest tests/store/oci $(ARGS)

oci-tools:
	@$(call debian,$(OCI_TOOLS),$(OCI_TOOLS))

.oci/base.tar: | oci-tools
	@mkdir -p .oci; echo "making .oci/base.tar: Debian's Python and what it needs"
	@SOURCE_DATE_EPOCH=0 mmdebstrap --quiet --format=tar --variant=extract --include=python3 bookworm $@.new && mv $@.new $@

# What tests in a browser need: Debian's Chromium, and axe-core from npm, which is not shipped.
.PHONY: browser-test browser-tools
browser-test: setup browser-tools ## Run the tests in a real browser: the app and the studio, clicked, and checked by axe (Debian; ARGS='-k name' to narrow)
	WORLDWRIGHT_CI=1 $(PYTEST) -m "slow or not slow" tests/app/browser tests/studio/browser $(ARGS)

browser-tools:
	@$(call debian,chromium npm,chromium npm)
	@test -e tests/axe/node_modules/axe-core/axe.min.js || { echo "installing axe-core"; npm ci --silent --no-audit --no-fund --prefix tests/axe; }

# Ray opens ports on the address of the machine whatever it is told: its tests have a network and processes of their own.
RAY_STAMP := .venvs/ray/.stamp
ALONE := bwrap --unshare-net --unshare-pid --die-with-parent --dev-bind / / --proc /proc --tmpfs /tmp/ray --chdir $(CURDIR)
.PHONY: ray-test ray-bench ray-tools ray-lock
ray-test: $(RAY_STAMP) ray-tools ## Run the tests of Ray on a cluster of their own on this machine (Debian; ARGS='-k name' to narrow)
	WORLDWRIGHT_CI=1 $(ALONE) .venvs/ray/bin/python -m pytest tests/ray $(ARGS)

ray-bench: $(RAY_STAMP) ray-tools ## Measure Ray beside the process pool (ARGS="--worlds 50 --rounds 2")
	$(ALONE) .venvs/ray/bin/python -m benchmarks.scale --compare --ray local $(ARGS)

$(RAY_STAMP): tests/ray/requirements.lock pyproject.toml | $(STAMP)
	@$(call environment,.venvs/ray)
	@echo "installing tests/ray/requirements.lock"
	@$(call install,.venvs/ray,-r tests/ray/requirements.lock)
	@$(call install,.venvs/ray,--no-deps --no-build-isolation -e .)
	@touch $@

ray-tools:
	@$(call debian,bubblewrap,bwrap)

fuzz: setup ## Run the property-based tests with new examples each time (ARGS='-k name' to narrow)
	WORLDWRIGHT_EFFORT=fuzz $(PYTEST) -m hypothesis $(ARGS)

lint: setup ## Check style and formatting
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

format: setup ## Rewrite the code in the project's format
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

types: setup ## Check types
	$(BIN)/mypy $(TYPED)

bench: setup ## Run every benchmark
	@for name in $(notdir $(basename $(BENCHMARKS))); do echo "== benchmarks.$$name"; $(BIN)/python -m "benchmarks.$$name"; done

lock: setup ## Regenerate requirements.lock from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
		--extra dev --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command 'make lock' --output-file requirements.lock
	@echo "wrote requirements.lock"

.PHONY: adapters-lock
adapters-lock: setup ## Regenerate the locks of the adapters' environments (ADAPTERS=gymnasium for one)
	@for name in $(ADAPTERS); do $(BIN)/uv pip compile tests/adapters/$$name/requirements.in --quiet --upgrade \
		--python-version 3.11 --no-emit-index-url --no-emit-find-links --no-annotate \
		--custom-compile-command 'make adapters-lock' --output-file tests/adapters/$$name/requirements.lock; \
		echo "wrote tests/adapters/$$name/requirements.lock"; done

ray-lock: setup ## Regenerate the lock of Ray's environment
	@$(BIN)/uv pip compile tests/ray/requirements.in --quiet --upgrade --python-version 3.11 \
		--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make ray-lock' \
		--output-file tests/ray/requirements.lock
	@echo "wrote tests/ray/requirements.lock"

clean: ## Remove the environment, caches and build output
	rm -rf $(VENV) $(TRAIN) .venvs .oci tests/axe/node_modules build dist htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
