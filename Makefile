# Cotree. The two commands of the README are `make demo` and `make test`.
.PHONY: all demo test campaign fuzz mutants coverage bench lint format install setup clean tidy
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

all: build/CMakeCache.txt
	@cmake --build build -j $(JOBS) --target cotree

build/CMakeCache.txt: CMakeLists.txt | setup
	@cmake --preset release > /dev/null

setup:
	@sh tools/setup.sh build

demo: all
	@sh tools/demo.sh build/cotree

test: setup
	@sh tools/setup.sh test
	@sh tests/run.sh

campaign: all
	@sh tools/setup.sh test
	@sh tests/campaign/run.sh build/cotree 600

fuzz: setup
	@sh tools/setup.sh test
	@sh tests/fuzz/run.sh 600

mutants: setup
	@sh tools/setup.sh test
	@python3 tests/mutants/run.py

coverage: setup
	@sh tools/setup.sh test
	@sh tests/coverage.sh

bench: all
	@sh tools/setup.sh bench
	@sh bench/run.sh --short --strict
	@sh bench/run.sh

lint: all
	@sh tools/setup.sh test
	@sh tools/lint.sh build/cotree

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: all
	@cmake --build build -j $(JOBS) > /dev/null
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build build-*
