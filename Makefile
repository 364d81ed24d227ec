# The commands of the README. Everything else is CMake: see CMakePresets.json.
.PHONY: build demo test bench fuzz debug format tidy setup clean

build: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build build --target heddle

demo: build
	@./scripts/demo.sh

test: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build build
	@ctest --test-dir build --output-on-failure --no-tests=error -j 3

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

format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

tidy: build
	@git ls-files 'src/*.cpp' 'tools/*.cpp' | xargs clang-tidy -p build --quiet

setup:
	@./scripts/setup.sh

clean:
	@rm -rf build build-debug build-bench build-fuzz
