# The commands of the README. Everything else is CMake: see CMakePresets.json.
.PHONY: build demo install package test bench fuzz debug intervals sanitize tsan format format-check tidy tidy-check setup clean

build: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build build --target heddle

# PREFIX is where it goes, DESTDIR what is put before that (for packagers).
PREFIX ?= /usr/local
install: build
	@cmake --build build --target heddle_installed
	@cmake --install build --prefix $(PREFIX)

# A .deb and a .tar.gz, linked as far as possible, in build-package. The same commit gives the same bytes.
# They need the C library that they are linked with, or a newer one: SYSROOT is a folder with an old one.
package: setup
	@cmake --preset package --log-level=WARNING $(if $(SYSROOT),-DCMAKE_SYSROOT=$(abspath $(SYSROOT)))
	@cmake --build build-package --target heddle_installed
	@umask 022 && cd build-package && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 0) cpack -B .

demo: build
	@./scripts/demo.sh

test: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build build
	@ctest --test-dir build --output-on-failure --no-tests=error -j 3

# How far off predictions are, learnt from all measured tables, and all outputs that show it.
mi300x = validation/mi300x.csv validation/mi300x_logs.csv
tables = validation/families/h200.csv $(filter-out validation/mi300x_logs.csv,$(wildcard validation/*.csv))
intervals: build
	@./build/heddle validate $(tables) --intervals validation/intervals/learnt.csv
	@./build/heddle validate $(mi300x) --intervals validation/intervals/mi300x.csv
	@sed -i '/^amd,.*L2 hit rate/d' validation/intervals/mi300x.csv
	@cmake --build build --target heddle
	@python3 scripts/check_docs.py --program build/heddle --update
	@python3 tests/golden/run.py --program build/heddle --update

bench:
	@./scripts/setup.sh libbenchmark-dev
	@cmake --preset bench --log-level=WARNING
	@cmake --build build-bench
	@./build-bench/heddle_bench

debug: setup
	@cmake --preset debug --log-level=WARNING
	@cmake --build build-debug
	@ctest --test-dir build-debug --output-on-failure --no-tests=error -j 2

fuzz:
	@./scripts/setup.sh clang
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build build-fuzz
	@./scripts/fuzz.sh

# The fast tests with the address and undefined-behaviour sanitizers; `make debug` runs all of them.
sanitized = support config order kernel proof optlog
sanitize: setup
	@cmake --preset asan --log-level=WARNING
	@cmake --build build-asan --target $(sanitized:%=heddle_%_tests)
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -j 2 \
	  -R '^heddle_($(subst $() ,|,$(sanitized)))_tests_[0-9]+$$'

# The tests that start threads, with the thread sanitizer.
tsan: setup
	@cmake --preset tsan --log-level=WARNING
	@cmake --build build-tsan --target heddle_sim_tests heddle_search_tests
	@cd build-tsan && ./heddle_sim_tests --gtest_brief=1 --gtest_filter='Machine.*:Simulator.*'
	@cd build-tsan && ./heddle_search_tests --gtest_brief=1 --gtest_filter='Steps.*:Loop.*'

format:
	@./scripts/check_format.sh --fix

format-check:
	@./scripts/check_format.sh

# clang-tidy wants the commands of single files, and does not know all warnings of GCC.
lint = clang-tidy -p build-tidy --quiet --extra-arg=-Wno-unknown-warning-option
tidy: setup
	@cmake --preset tidy --log-level=WARNING
	@git ls-files 'src/*.cpp' 'tools/*.cpp' | xargs $(lint)

# The files that have no finding, and keep having none.
tidied = src/support/*.cpp
tidy-check: setup
	@cmake --preset tidy --log-level=WARNING
	@$(lint) --warnings-as-errors='*' $(tidied)

setup:
	@./scripts/setup.sh

clean:
	@rm -rf build build-debug build-asan build-tsan build-tidy build-bench build-fuzz build-package
