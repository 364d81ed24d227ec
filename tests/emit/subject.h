// What a test of emission compares: a proven order, its program, and requests for parts of its map.
//
// A request is one line of text that the drivers (driver.c, driver.py) read:
//   function g0 g1 g2 t0 t1 t2 first step count name0 name1 name2 name3
// It asks for the tiles of the launch ids first, first+step, ...: `count` of them. A driver answers
// with a hash of them, or, asked to list, with the tiles themselves.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue.h"
#include "emit/emit.h"
#include "oracle/scalar_evaluator.h"
#include "order/evaluate.h"
#include "order/order.h"
#include "proof/proven_order.h"

namespace heddle::emit_tests {

inline constexpr std::size_t kMostNames = 4;

struct Subject {
  std::string title;
  proof::ProvenOrder proven;
  order::Program program;

  const order::Shape& shape() const { return proven.shape(); }
  std::string emit(emit::Dialect dialect) const { return emit::emit_order(proven, {dialect, {}}); }
};

inline Subject make_subject(const order::Order& order, const order::Shape& shape) {
  AllSizesReport report;
  auto proven = proof::prove_all_sizes(order, shape, {}, {}, report);
  if (!proven) throw Error(order.title() + " is not proved");
  return {order.title() + ", " + shape_text(shape), *proven, order.program(shape, {})};
}

/// The orders of these texts on every shape they fit.
inline std::vector<Subject> subjects_of(const std::vector<std::string>& texts,
                                        const std::vector<order::Shape>& shapes) {
  std::vector<Subject> subjects;
  for (const std::string& text : texts) {
    const order::Order order = order::read_compact(text);
    for (const order::Shape& shape : shapes) {
      if (fits(order, shape)) subjects.push_back(make_subject(order, shape));
    }
  }
  return subjects;
}

struct Request {
  std::size_t function = 0;
  order::Space space;
  std::vector<std::int64_t> names;
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;

  std::string line() const {
    std::ostringstream text;
    text << function;
    for (int axis = 0; axis < 3; ++axis) text << ' ' << space.launch.extent(axis);
    for (int axis = 0; axis < 3; ++axis) text << ' ' << space.tile_grid().extent(axis);
    text << ' ' << first << ' ' << step << ' ' << count;
    for (std::size_t i = 0; i < kMostNames; ++i) text << ' ' << (i < names.size() ? names[i] : 0);
    text << '\n';
    return text.str();
  }
};

inline Request whole_map(std::size_t function, const order::Space& space,
                         std::vector<std::int64_t> names = {}) {
  return {function, space, std::move(names), 0, 1, space.block_count()};
}

/// About `samples` launch ids spread over the space, both ends among them.
inline std::vector<Request> samples_of(std::size_t function, const order::Space& space,
                                       std::int64_t samples) {
  const std::int64_t blocks = space.block_count();
  const std::int64_t ends = std::min<std::int64_t>(blocks, 20);
  std::vector<Request> requests;
  requests.push_back({function, space, {}, 0, 1, ends});
  requests.push_back({function, space, {}, blocks - ends, 1, ends});
  const std::int64_t step = std::max<std::int64_t>(1, blocks / samples);
  requests.push_back({function, space, {}, step / 3, step, (blocks - step / 3 + step - 1) / step});
  return requests;
}

/// The tiles as heddle evaluates them: whole stretches in batches, samples by the scalar twin.
inline std::vector<std::int64_t> expected_tiles(const Subject& subject, const Request& request) {
  std::vector<std::int64_t> tiles(static_cast<std::size_t>(request.count));
  if (request.step != 1) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const LaunchId id{request.first + static_cast<std::int64_t>(i) * request.step};
      tiles[i] = oracle::tile_of(subject.program, request.space, request.names, id);
    }
    return tiles;
  }
  order::Evaluator evaluator(subject.program, request.space, request.names);
  for (std::size_t done = 0; done < tiles.size(); done += order::kLanes) {
    const std::size_t count = std::min<std::size_t>(order::kLanes, tiles.size() - done);
    evaluator.run(LaunchId{request.first + static_cast<std::int64_t>(done)},
                  {tiles.data() + done, count});
  }
  return tiles;
}

/// As the drivers compute it.
inline std::uint64_t hash_of(const std::vector<std::int64_t>& tiles) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::int64_t tile : tiles)
    hash = (hash ^ static_cast<std::uint64_t>(tile + 7)) * 1099511628211u;
  return hash;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  ASSERT_TRUE(file.good()) << path;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs a command; what it prints, or nothing (and a failure) where it fails.
inline std::optional<std::string> output_of(const std::string& command, const std::string& stem) {
  const std::string all = command + " > '" + stem + ".out' 2> '" + stem + ".err'";
  const int status = std::system(all.c_str());
  if (status == 0) return read_file(stem + ".out");
  ADD_FAILURE() << "failed: " << command << "\n" << read_file(stem + ".err").substr(0, 3000);
  return std::nullopt;
}

/// Asks a driver (a command that takes a file of requests) and compares with the evaluator.
inline void compare(const std::vector<Subject>& subjects, const std::vector<Request>& requests,
                    const std::string& driver, const std::string& stem) {
  std::string lines;
  for (const Request& request : requests) lines += request.line();
  write_file(stem + ".requests", lines);
  const auto answer = output_of(driver + " '" + stem + ".requests'", stem);
  if (!answer) return;
  std::istringstream hashes(*answer);
  int failures = 0;
  for (const Request& request : requests) {
    const Subject& subject = subjects[request.function];
    std::uint64_t hash = 0;
    ASSERT_TRUE(hashes >> hash) << "the driver stopped before " << subject.title;
    const std::vector<std::int64_t> expected = expected_tiles(subject, request);
    for (const std::int64_t tile : expected) {
      ASSERT_GE(tile, order::kIdle)
          << subject.title << " is proved, but fails on " << request.line();
    }
    if (hash == hash_of(expected)) continue;
    write_file(stem + ".one", request.line());
    const auto listed = output_of(driver + " '" + stem + ".one' list", stem + ".list");
    std::istringstream tiles(listed.value_or(""));
    std::size_t i = 0;
    std::int64_t tile = 0;
    while (i < expected.size() && tiles >> tile && tile == expected[i]) ++i;
    ADD_FAILURE() << subject.title << " on grid " << request.space.launch.text() << " tiles "
                  << request.space.tile_grid().text() << ": launch id "
                  << request.first + static_cast<std::int64_t>(i) * request.step << " computes "
                  << tile << ", the order says " << (i < expected.size() ? expected[i] : -99);
    if (++failures == 5) FAIL() << "and perhaps more";
  }
}

}  // namespace heddle::emit_tests
