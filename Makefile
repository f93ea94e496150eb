# Each target does its own set-up: a virtual environment, the dependencies, a browser.
VENV ?= .venv
BIN := $(VENV)/bin
# BrowserGym pins a Playwright whose greenlet has no wheel for Python 3.13.
PYTHON ?= $(shell for p in python3 python3.12 python3.11; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null && command -v "$$p" && break; done)
DEMO := -t 'click-*' -t 'enter-*' -t 'email-inbox*' -t 'use-*' -t login-user -t read-table

.PHONY: demo bench test desktop lint format schemas wheel clean

demo: $(VENV)/browser
	$(BIN)/unibench suites
	$(BIN)/unibench golden-check miniwob $(DEMO) --jobs 2 -o $(VENV)/demo.ledger.json
	$(BIN)/unibench explain miniwob click-checkboxes --control one-missing
	rm -rf $(VENV)/demo-run
	PYTHONPATH=examples/agents $(BIN)/unibench run miniwob -a first_match:FirstMatch -t 'click-b*' -t 'click-t*' \
		--ledger $(VENV)/demo.ledger.json --jobs 2 -o $(VENV)/demo-run

bench: $(VENV)/browser
	$(BIN)/python benchmarks/miniwob_episode.py
	$(BIN)/python benchmarks/wire.py
	$(BIN)/python benchmarks/miniwob_vector.py

test: $(VENV)/browser $(VENV)/desktop $(VENV)/phone
	$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST)

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schemas: $(VENV)/ready
	$(BIN)/unibench schema -o schemas

# Builds the wheel, installs it into a fresh environment, and tries it there.
wheel: $(VENV)/browser
	rm -rf dist $(VENV)/wheel
	$(BIN)/python -m build --wheel --outdir dist .
	$(BIN)/python -m venv $(VENV)/wheel
	$(VENV)/wheel/bin/pip install -q "$$(ls dist/*.whl)[miniwob]"
	cd $(VENV) && wheel/bin/unibench doctor miniwob
	cd $(VENV) && wheel/bin/unibench golden-check miniwob -t 'click-test*' -o wheel/smoke.ledger.json

$(VENV)/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "MiniWoB++ needs Python 3.11 or 3.12 with venv (Debian: apt install python3-venv)"; exit 3; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -e '.[miniwob,dev]' -e examples/notebook_suite
	touch $@

$(VENV)/browser: $(VENV)/ready
	$(BIN)/python -m unibench_browsergym.get_chromium
	touch $@

# The programs of the local desktop, from Debian where root and apt are there; tests of it skip without them.
desktop: $(VENV)/desktop

$(VENV)/desktop: $(VENV)/ready
	$(BIN)/pip install -q --disable-pip-version-check -e '.[desktop]'
	$(BIN)/python -m unibench_guests.local.get_desktop && touch $@ || echo "without them, tests of the local desktop are skipped"

# The programs of the simulated phone; tests of it skip without them.
$(VENV)/phone: $(VENV)/ready
	@for each in mksh toybox adb; do command -v $$each > /dev/null || missing="$$missing $$each"; done; \
		if [ -z "$$missing" ]; then touch $@; \
		elif [ "$$(id -u)" = 0 ] && apt-get update -q > /dev/null 2>&1 && apt-get install -y -q $$missing > /dev/null 2>&1; then touch $@; \
		else echo "without$$missing (apt install$$missing), tests of the simulated phone are skipped"; fi

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
