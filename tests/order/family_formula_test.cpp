// The families are the published remaps, written here once more in plain C++.
//
// p is the launch id, n the number of tiles; walks use row-major tiles over rows x cols.
#include <cmath>
#include <functional>

#include "order/testing.h"

namespace heddle::testing {
namespace {

using Line = std::function<std::int64_t(std::int64_t p, std::int64_t n)>;

struct Tile {
  std::int64_t row;
  std::int64_t col;
};
using Walk = std::function<Tile(std::int64_t w, std::int64_t rows, std::int64_t cols)>;

void expect_line(const std::string& family, const Line& formula,
                 const std::function<bool(std::int64_t)>& where = nullptr) {
  const Order remap = order::read_compact(family);
  for (std::int64_t n = 1; n <= 700; ++n) {
    if (where && !where(n)) continue;
    const Map map = order::materialize(remap, launch({n}), {});
    for (std::int64_t p = 0; p < n; ++p) {
      ASSERT_EQ(map[static_cast<std::size_t>(p)], formula(p, n))
          << family << " at " << p << " of " << n;
    }
  }
}

/// On a tile space of its own (row-major) and on a 2-D launch (x = column fastest).
void expect_walk(const std::string& family, const Walk& formula,
                 const std::function<bool(std::int64_t)>& rows_where = nullptr) {
  const Order remap = order::read_compact(family);
  for (std::int64_t rows = 1; rows <= 24; ++rows) {
    if (rows_where && !rows_where(rows)) continue;
    for (std::int64_t cols = 1; cols <= 13; ++cols) {
      const Map own = order::materialize(remap, tiled({rows, cols}), {});
      const Map launched = order::materialize(remap, launch({cols, rows}), {});
      for (std::int64_t w = 0; w < rows * cols; ++w) {
        const Tile tile = formula(w, rows, cols);
        ASSERT_EQ(own[static_cast<std::size_t>(w)], tile.row * cols + tile.col)
            << family << " at " << w << " of " << rows << "x" << cols;
        ASSERT_EQ(launched[static_cast<std::size_t>(w)], tile.col + tile.row * cols)
            << family << " at " << w;
      }
    }
  }
}

std::int64_t contiguous(std::int64_t p, std::int64_t n, std::int64_t dies) {  // R2
  const std::int64_t longest = (n + dies - 1) / dies;
  const std::int64_t tall = n % dies == 0 ? dies : n % dies;
  const std::int64_t die = p % dies;
  const std::int64_t local = p / dies;
  if (die < tall) return die * longest + local;
  return tall * longest + (die - tall) * (longest - 1) + local;
}

Tile window(std::int64_t w, std::int64_t rows, std::int64_t cols, std::int64_t height) {  // R5
  const std::int64_t group = w / (height * cols);
  const std::int64_t first = group * height;
  const std::int64_t tall = std::min(rows - first, height);
  const std::int64_t inside = w % (height * cols);
  return {first + inside % tall, inside / tall};
}

TEST(FamilyFormula, Identity) {
  expect_line("identity", [](auto p, auto) { return p; });
  expect_line("reverse", [](auto p, auto n) { return n - 1 - p; });
  expect_walk("identity", [](auto w, auto, auto cols) {
    return Tile{w / cols, w % cols};
  });  // R0, A3
}

TEST(FamilyFormula, ContiguousPerDie) {
  for (const std::int64_t dies : {1, 3, 4, 8, 38}) {
    const std::string family = "xcd(" + std::to_string(dies) + ")";
    expect_line(family, [&](auto p, auto n) { return contiguous(p, n, dies); });  // R2
    expect_line(family, [&](auto p, auto n) {                                     // R2'
      const std::int64_t die = p % dies;
      return die * (n / dies) + std::min(die, n % dies) + p / dies;
    });
    expect_line(
        family, [&](auto p, auto n) { return p % dies * (n / dies) + p / dies; },  // R1, R8
        [&](auto n) { return n % dies == 0; });
  }
}

TEST(FamilyFormula, Chunked) {
  for (const std::int64_t chunk : {1, 2, 5, 16}) {
    for (const std::int64_t dies : {3, 8}) {
      expect_line("xcd_chunk(" + std::to_string(dies) + ", " + std::to_string(chunk) + ")",
                  [&](auto p, auto n) {  // R3
                    const std::int64_t round = dies * chunk;
                    if (p > n / round * round) return p;
                    const std::int64_t local = p / dies;
                    return local / chunk * round + p % dies * chunk + local % chunk;
                  });
    }
  }
}

TEST(FamilyFormula, TailStays) {
  expect_line("xcd_tail(4)", [](auto p, auto n) {
    return p > n - 1 - n % 4 ? p : p / 4 + p % 4 * (n / 4);
  });  // R6
  for (const std::int64_t k : {1, 2, 8, 32}) {
    expect_line("xcd_tail(" + std::to_string(k) + ")",  // R7, D = 0
                [&](auto p, auto n) { return p >= n / k * k ? p : p / k + p % k * (n / k); });
  }
}

TEST(FamilyFormula, Panels) {
  for (const auto& [k, d] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {8, 304}, {8, 64}, {4, 4}, {1, 10}, {2, 38}}) {
    expect_line("xcd_panel(" + std::to_string(k) + ", " + std::to_string(d) + ")",
                [&, kk = k, dd = d](auto p, auto n) {  // R7, D > 0
                  if (p >= n / kk * kk) return p;
                  const std::int64_t size = p > n / dd * dd ? n - n / dd * dd : dd;
                  return p / dd * dd + p % dd / kk + p % kk * (size / kk);
                });
  }
}

TEST(FamilyFormula, Windows) {
  for (const std::int64_t height : {1, 2, 4, 7, 8, 100}) {
    expect_walk("group(" + std::to_string(height) + ")",  // R5, R7b with WGM > 0
                [&](auto w, auto rows, auto cols) { return window(w, rows, cols, height); });
    expect_walk("group_columns(" + std::to_string(height) + ")",
                [&](auto w, auto rows, auto cols) {  // R7b with WGM < 0
                  const Tile turned = window(w, cols, rows, height);
                  return Tile{turned.col, turned.row};
                });
  }
}

TEST(FamilyFormula, ChunksThenWindows) {  // R4
  for (const auto& [chunk, height] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 4}, {4, 2}, {9, 3}}) {
    expect_walk(
        "xcd_chunk(8, " + std::to_string(chunk) + ") | group(" + std::to_string(height) + ")",
        [&, c = chunk, h = height](auto w, auto rows, auto cols) {
          const std::int64_t round = 8 * c;
          if (w <= rows * cols / round * round) {
            const std::int64_t local = w / 8;
            w = local / c * round + w % 8 * c + local % c;
          }
          return window(w, rows, cols, h);
        });
  }
}

TEST(FamilyFormula, SerpentinePanels) {  // C4: panels of `width` lines, every second one backwards
  const auto panel_row = [](std::int64_t w, std::int64_t rows, std::int64_t cols,
                            std::int64_t width) {
    const std::int64_t panel = w / (width * cols);
    const std::int64_t panels = (rows * cols + width * cols - 1) / (width * cols);
    const std::int64_t offset = w % (width * cols);
    const std::int64_t stride =
        panel + 1 < panels ? width : (rows * cols - panel * width * cols) / cols;
    const std::int64_t col = panel % 2 == 1 ? cols - 1 - offset / stride : offset / stride;
    return Tile{offset % stride + panel * width, col};
  };
  for (const std::int64_t width : {1, 3, 8}) {
    expect_walk("group_snake(" + std::to_string(width) + ")",
                [&](auto w, auto rows, auto cols) { return panel_row(w, rows, cols, width); });
    expect_walk("group_columns_snake(" + std::to_string(width) + ")",
                [&](auto w, auto rows, auto cols) {
                  const Tile turned = panel_row(w, cols, rows, width);
                  return Tile{turned.col, turned.row};
                });
  }
}

TEST(FamilyFormula, Attention) {  // rows are heads, columns query blocks
  expect_walk("columns", [](auto w, auto heads, auto) {
    return Tile{w % heads, w / heads};
  });  // C2, A1
  expect_walk("block_first(8)", [](auto w, auto heads, auto) {
    return Tile{contiguous(w % heads, heads, 8), w / heads};
  });  // A2
  expect_walk(
      "head_first(8)",  // A4
      [](auto w, auto heads, auto blocks) {
        return Tile{w % 8 * (heads / 8) + w / (8 * blocks), w % (8 * blocks) / 8};
      },
      [](auto heads) { return heads % 8 == 0; });
  const Map batches =
      order::materialize(order::read_compact("head_first(8)"), launch({4, 16, 3}), {});
  for (std::int64_t w = 0; w < 4 * 16 * 3; ++w) {  // each batch on its own, batch slowest
    const std::int64_t inside = w % 64;
    const std::int64_t tile = (inside % 8 * 2 + inside / 32) * 4 + inside % 32 / 8;
    EXPECT_EQ(batches[static_cast<std::size_t>(w)], w / 64 * 64 + tile);
  }
}

TEST(FamilyFormula, SnakeStepsByOne) {
  expect_walk("snake", [](auto w, auto, auto cols) {
    const std::int64_t row = w / cols;
    return Tile{row, row % 2 == 0 ? w % cols : cols - 1 - w % cols};
  });
}

TEST(FamilyFormula, MortonInterleavesBits) {
  for (std::int64_t side = 1; side <= 32; side *= 2) {
    const Map map = order::materialize(order::read_compact("morton"), tiled({side, side}), {});
    for (std::int64_t w = 0; w < side * side; ++w) {
      std::int64_t row = 0;
      std::int64_t col = 0;
      for (int bit = 0; bit < 5; ++bit) {
        col |= (w >> (2 * bit) & 1) << bit;
        row |= (w >> (2 * bit + 1) & 1) << bit;
      }
      ASSERT_EQ(map[static_cast<std::size_t>(w)], row * side + col) << side << " at " << w;
    }
  }
}

TEST(FamilyFormula, MortonKeepsTheOrderOfTheSquareOnRaggedGrids) {
  const Map square = order::materialize(order::read_compact("morton"), tiled({16, 16}), {});
  for (std::int64_t rows = 1; rows <= 16; ++rows) {
    for (std::int64_t cols = 1; cols <= 16; ++cols) {
      Map wanted;  // the walk of the square, with the tiles outside left out
      for (const std::int64_t tile : square) {
        if (tile / 16 < rows && tile % 16 < cols) wanted.push_back(tile / 16 * cols + tile % 16);
      }
      ASSERT_EQ(order::materialize(order::read_compact("morton"), tiled({rows, cols}), {}), wanted)
          << rows << "x" << cols;
    }
  }
}

struct Steps {
  int diagonal = 0;
  int longer = 0;
};

Steps steps_of(const Map& map, std::int64_t cols) {
  Steps result;
  for (std::size_t i = 1; i < map.size(); ++i) {
    const std::int64_t down = std::abs(map[i] / cols - map[i - 1] / cols);
    const std::int64_t right = std::abs(map[i] % cols - map[i - 1] % cols);
    if (down + right == 1) continue;
    ++(down == 1 && right == 1 ? result.diagonal : result.longer);
  }
  return result;
}

// Neighbours in time are neighbours in the plane, but for exactly one diagonal step where the
// longer side is odd and the shorter one even and above 2. Such a walk runs from one corner to the
// next along the longer side; on a chessboard both have one colour, yet the number of tiles is
// even, so steps of length 1 alone cannot do it.
TEST(FamilyFormula, HilbertStepsByOne) {
  for (std::int64_t rows = 1; rows <= 40; ++rows) {
    for (std::int64_t cols = 1; cols <= 40; ++cols) {
      const Map map = order::materialize(order::read_compact("hilbert"), tiled({rows, cols}), {});
      const Steps steps = steps_of(map, cols);
      const std::int64_t longer = std::max(rows, cols);
      const std::int64_t shorter = std::min(rows, cols);
      EXPECT_EQ(steps.longer, 0) << rows << "x" << cols;
      EXPECT_EQ(steps.diagonal, longer % 2 == 1 && shorter % 2 == 0 && shorter > 2 ? 1 : 0)
          << rows << "x" << cols;
      EXPECT_EQ(map.front(), 0);
    }
  }
}

TEST(FamilyFormula, HilbertOnPowersOfTwo) {
  for (std::int64_t side = 2; side <= 64; side *= 2) {
    const Map map = order::materialize(order::read_compact("hilbert"), tiled({side, side}), {});
    const Steps steps = steps_of(map, side);
    EXPECT_EQ(steps.diagonal + steps.longer, 0);
    // Each quarter of the walk fills one quadrant.
    const std::size_t quarter = map.size() / 4;
    for (std::size_t i = 0; i < map.size(); ++i) {
      const auto quadrant = [&](std::int64_t tile) {
        return tile / side / (side / 2) * 2 + tile % side / (side / 2);
      };
      ASSERT_EQ(quadrant(map[i]), quadrant(map[i / quarter * quarter])) << side << " at " << i;
    }
  }
}

TEST(FamilyFormula, SnakeHasNoLongStep) {
  for (std::int64_t rows = 1; rows <= 12; ++rows) {
    for (std::int64_t cols = 1; cols <= 12; ++cols) {
      const Steps steps =
          steps_of(order::materialize(order::read_compact("snake"), tiled({rows, cols}), {}), cols);
      EXPECT_EQ(steps.diagonal + steps.longer, 0) << rows << "x" << cols;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
