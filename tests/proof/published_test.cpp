// Published remaps as Triton texts: the verdict on every size equals an independent count.
#include "proof/testing.h"

namespace heddle::testing {
namespace {

using Formula = std::function<std::int64_t(std::int64_t p, std::int64_t n)>;

/// Checks 1..2499 blocks and compares the failing sizes; gives them back.
std::vector<std::int64_t> expect_sizes(const Text& text, const Formula& formula) {
  const RangeReport report = check_range(text, "1..2499");
  std::vector<std::int64_t> failing;
  for (const auto& size : report.failing_sizes) failing.push_back(size.at(0));
  std::vector<std::int64_t> wanted;
  for (std::int64_t n = 1; n <= 2499; ++n) {
    if (!is_permutation(n, [&](std::int64_t p) { return formula(p, n); })) wanted.push_back(n);
  }
  EXPECT_EQ(failing, wanted) << text.text;
  EXPECT_EQ(report.verdict, wanted.empty() ? Verdict::proved : Verdict::refuted);
  EXPECT_EQ(report.grids_checked, 2499);
  if (!wanted.empty()) {
    EXPECT_TRUE(report.smallest_failure);
    if (report.smallest_failure) {
      EXPECT_EQ(report.smallest_failure->grid, (std::vector<std::int64_t>{wanted.front()}));
      expect_true_counterexample(*report.smallest_failure, text.on(launch({wanted.front()})));
    }
  }
  return failing;
}

TEST(Published, SimpleContiguous) {  // R1
  const auto failing = expect_sizes(
      triton("pid = tl.program_id(0)\nn = tl.num_programs(0)\npid = pid % 8 * (n // 8) + pid // 8"),
      [](auto p, auto n) { return p % 8 * (n / 8) + p / 8; });
  EXPECT_EQ(failing.size(),
            2499U - 312U - 1U);  // fails unless 8 divides the size; one block cannot go wrong
  EXPECT_EQ(failing.front(), 2);
}

TEST(Published, ContiguousWithRemainder) {  // R2
  const auto failing = expect_sizes(
      triton("pid = tl.program_id(0)\nn = tl.num_programs(0)\n"
             "longest = tl.cdiv(n, 8)\ntall = n % 8\ntall = 8 if tall == 0 else tall\n"
             "die = pid % 8\nlocal = pid // 8\n"
             "if die < tall:\n    pid = die * longest + local\n"
             "else:\n    pid = tall * longest + (die - tall) * (longest - 1) + local\n"),
      [](auto p, auto n) {
        const std::int64_t longest = (n + 7) / 8;
        const std::int64_t tall = n % 8 == 0 ? 8 : n % 8;
        const std::int64_t die = p % 8;
        return die < tall ? die * longest + p / 8
                          : tall * longest + (die - tall) * (longest - 1) + p / 8;
      });
  EXPECT_TRUE(failing.empty());
}

TEST(Published, Chunked) {  // R3
  for (const std::int64_t chunk : {2, 5}) {
    const auto failing = expect_sizes(
        triton("pid = tl.program_id(0)\nround = 8 * C\n"
               "if pid <= tl.num_programs(0) // round * round:\n"
               "    local = pid // 8\n    pid = local // C * round + pid % 8 * C + local % C\n",
               "C=" + std::to_string(chunk)),
        [&](auto p, auto n) {
          if (p > n / (8 * chunk) * (8 * chunk)) return p;
          return p / 8 / chunk * 8 * chunk + p % 8 * chunk + p / 8 % chunk;
        });
    EXPECT_TRUE(failing.empty());
  }
}

TEST(Published, QuarterTransposeWithTail) {  // R6
  const auto failing =
      expect_sizes(triton("pid = tl.program_id(0)\nn = tl.num_programs(0)\nlast = n - 1 - n % 4\n"
                          "pid = pid if pid > last else pid // 4 + pid % 4 * (n // 4)"),
                   [](auto p, auto n) { return p > n - 1 - n % 4 ? p : p / 4 + p % 4 * (n / 4); });
  EXPECT_TRUE(failing.empty());
}

/// R7: k ways, in panels of d blocks (0: none).
Text panels(std::int64_t k, std::int64_t d) {
  return triton(
      "t = tl.program_id(0)\nn = tl.num_programs(0)\n"
      "if t < n // K * K:\n"
      "    if D == 0:\n        t = t // K + t % K * (n // K)\n"
      "    else:\n"
      "        size = D\n"
      "        if t > n // D * D:\n            size = n - n // D * D\n"
      "        t = t // D * D + t % D // K + t % K * (size // K)\n",
      "K=" + std::to_string(k) + ",D=" + std::to_string(d));
}

std::int64_t panels_formula(std::int64_t p, std::int64_t n, std::int64_t k, std::int64_t d) {
  if (p >= n / k * k) return p;
  if (d == 0) return p / k + p % k * (n / k);
  const std::int64_t size = p > n / d * d ? n - n / d * d : d;
  return p / d * d + p % d / k + p % k * (size / k);
}

TEST(Published, Panels) {  // R7
  for (const auto& [k, d] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {8, 0}, {32, 0}, {8, 304}, {16, 304}, {32, 64}}) {
    EXPECT_TRUE(
        expect_sizes(panels(k, d),
                     [&, kk = k, dd = d](auto p, auto n) { return panels_formula(p, n, kk, dd); })
            .empty())
        << k << " " << d;
  }
  const auto failing =
      expect_sizes(panels(32, 304), [](auto p, auto n) { return panels_formula(p, n, 32, 304); });
  ASSERT_FALSE(failing.empty());  // 32 does not divide 304
  EXPECT_EQ(failing.front(), 320);
}

TEST(Published, WidthTranspose) {  // R8
  for (const std::int64_t width : {3, 8}) {
    expect_sizes(triton("pid = tl.program_id(0)\npid = pid % W * (g0 // W) + pid // W",
                        "W=" + std::to_string(width)),
                 [&](auto p, auto n) { return p % width * (n / width) + p / width; });
  }
}

// ---- windows ------------------------------------------------------------------------------------

const std::string kChunks =
    "pid = tl.program_id(0)\nif pid < t0 * t1 // (8 * C) * (8 * C):\n"
    "    local = pid // 8\n    pid = local // C * (8 * C) + pid % 8 * C + local % C\n";
const std::string kWindow =
    "pid = tl.program_id(0)\nper_group = W * t1\nfirst = pid // per_group * W\ntall = min(t0 - "
    "first, W)\ninside = pid % per_group\n";

void expect_all_windows(const std::string& text, bool proved) {
  for (int width = 1; width < 10; ++width) {
    const RangeReport report =
        check_range(triton(text, "C=2,W=" + std::to_string(width)), "", "1..19x1..19");
    EXPECT_EQ(report.verdict, proved ? Verdict::proved : Verdict::refuted) << "W=" << width << "\n"
                                                                           << text;
    EXPECT_EQ(report.grids_checked, 361);
  }
}

TEST(Published, Windows) {  // R5, and with t mod h instead of l mod h
  expect_all_windows(kWindow + "pid_m = first + inside % tall\npid_n = inside // tall", true);
  expect_all_windows(kWindow + "pid_m = first + pid % tall\npid_n = inside // tall", true);
}

TEST(Published, ChunksThenWindows) {  // R4
  std::string window = kWindow;
  window.erase(0, window.find('\n') + 1);
  expect_all_windows(kChunks + window + "pid_m = first + inside % tall\npid_n = inside // tall",
                     true);
}

TEST(Published, WindowsWithoutClampingAreRefuted) {
  const std::string text = kWindow + "pid_m = first + inside % W\npid_n = inside // W";
  for (std::int64_t width = 1; width < 10; ++width) {
    const Text window = triton(text, "W=" + std::to_string(width));
    const RangeReport report = check_range(window, "", "1..19x1..19");
    std::vector<std::vector<std::int64_t>> wanted;
    for (std::int64_t rows = 1; rows < 20; ++rows) {
      for (std::int64_t cols = 1; cols < 20; ++cols) {
        const bool good = is_permutation(rows * cols, [&](std::int64_t p) {
          const std::int64_t inside = p % (width * cols);
          const std::int64_t row = p / (width * cols) * width + inside % width;
          return row < rows ? row * cols + inside / width : -1;
        });
        if (!good) wanted.push_back({rows, cols});
      }
    }
    EXPECT_EQ(report.failing_sizes, wanted) << width;
    EXPECT_EQ(wanted.empty(), width == 1);
    if (!report.smallest_failure) continue;
    const GridReport& failure = *report.smallest_failure;
    expect_true_counterexample(failure, window.on(tiled(failure.tile_space)));
    EXPECT_NE(failure.counterexample->kind, Counterexample::Kind::arithmetic);
    EXPECT_NE(failure.counterexample->kind, Counterexample::Kind::missing);
  }
}

// ---- attention: t0 heads, t1 query blocks
// ---------------------------------------------------------

const std::string kHeadFirst =
    "w = tl.program_id(0)\nhead = w % 8 * (t0 // 8) + w // (8 * t1)\nblock = w % (8 * t1) // 8";

TEST(Published, Attention) {  // A1 to A4
  const std::vector<std::string> texts = {
      "w = tl.program_id(0)\nhead = w % t0\nblock = w // t0",
      "w = tl.program_id(0)\nh = w % t0\ndie = h % 8\nhead = die * (t0 // 8) + min(die, t0 % 8) + "
      "h // 8\nblock = w // t0",
      "w = tl.program_id(0)\nblock = w % t1\nhead = w // t1",
      kHeadFirst,
  };
  for (Text text : {triton(texts[0]), triton(texts[1]), triton(texts[2]), triton(texts[3])}) {
    text.results = {"head", "block"};
    for (int heads = 8; heads <= 64; heads += 8) {
      EXPECT_EQ(check_range(text, "", std::to_string(heads) + "x1..24").verdict, Verdict::proved)
          << heads << "\n"
          << text.text;
    }
  }
}

TEST(Published, HeadFirstNeedsEightToDivideTheHeads) {
  Text text = triton(kHeadFirst);
  text.results = {"head", "block"};
  for (std::int64_t heads = 1; heads <= 40; ++heads) {
    for (const std::int64_t blocks : {1, 2, 5, 16}) {
      const bool good = is_permutation(heads * blocks, [&](std::int64_t w) {
        const std::int64_t head = w % 8 * (heads / 8) + w / (8 * blocks);
        return head < heads ? head * blocks + w % (8 * blocks) / 8 : -1;
      });
      const GridReport report = check(text, tiled({heads, blocks}));
      EXPECT_EQ(report.verdict, good ? Verdict::proved : Verdict::refuted)
          << heads << " heads, " << blocks << " blocks";
      EXPECT_EQ(good, heads % 8 == 0 || heads * blocks == 1)
          << heads << " heads, " << blocks << " blocks";
      if (!good) expect_true_counterexample(report, text.on(tiled({heads, blocks})));
    }
  }
}

}  // namespace
}  // namespace heddle::testing
