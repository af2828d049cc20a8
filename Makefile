# Everything on a fresh machine: only Python 3.11 (or newer) and make are presumed.
#
#   make balance GAME=emblems      play a million games and write the report
#   make compare GAME=emblems SET='start_coins=4'    what an edit does, on the same deals
#   make publish                   build a site of all reports in out/site
#   make test                      run the tests
#
# Options of balance: GAMES=200000 PLAYERS=3,4 CONFIG=my.toml SEED=7
# Options of compare: A=… B=… (configs or runs) or GAME=… SET=…, GAMES= PLAYERS= SEED= GATE=first_player

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev

.DEFAULT_GOAL := help
.PHONY: help setup balance compare publish test test-nojit test-bounds check bench calibrate clean

help:
	@sed -n 's/^#   //p' Makefile

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Hakari needs Python 3.11 or newer; name one with PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(READY_DEV): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --requirement requirements-dev.txt
	@touch $@

setup: $(READY)

balance: $(READY)
	@test -n "$(GAME)$(CONFIG)" || { echo "Which game? For example: make balance GAME=emblems"; $(BIN)/hakari list; exit 2; }
	@$(BIN)/hakari run "$(if $(CONFIG),$(CONFIG),$(GAME))" $(if $(GAMES),--games $(GAMES)) $(if $(PLAYERS),--players $(PLAYERS)) $(if $(SEED),--seed $(SEED))

compare: $(READY)
	@test -n "$(A)$(GAME)" || { echo "Compare what? For example: make compare GAME=emblems SET='start_coins=4'"; exit 2; }
	@$(BIN)/hakari compare "$(if $(A),$(A),$(GAME))" $(if $(B),"$(B)") $(if $(SET),--set '$(SET)') $(if $(GAMES),--games $(GAMES)) $(if $(PLAYERS),--players $(PLAYERS)) $(if $(SEED),--seed $(SEED)) $(if $(GATE),--gate $(GATE))

publish: $(READY)
	@$(BIN)/hakari publish

test: $(READY_DEV)
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope

# Plain Python, so that every line can be followed; the small cases only.
test-nojit: $(READY_DEV)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not compiled and not calibration"

# Every array index checked.
test-bounds: $(READY_DEV)
	NUMBA_BOUNDSCHECK=1 HAKARI_CACHE=$(VENV)/cache-bounds $(BIN)/python -m pytest tests/games

check: $(READY_DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY_DEV)
	$(BIN)/python -m bench

# How well the ranges hold, thoroughly; writes bench/CALIBRATION.md.
calibrate: $(READY_DEV)
	$(BIN)/python -m pytest tests/calibration -m calibration

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .mypy_cache .hypothesis build *.egg-info
