// Explicit tables: text and .npy files, made here byte by byte.
#include <filesystem>

#include "order/read.h"
#include "order/testing.h"
#include "support/file.h"

namespace heddle::testing {
namespace {

class TableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("heddle_table_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Map read(const std::string& bytes) {
    const std::string name = (folder_ / "table").string();
    write_text(name, bytes);
    return order::read_table(name).table();
  }
  Error refusal(const std::string& bytes) {
    return thrown_by([&] { read(bytes); });
  }

  std::filesystem::path folder_;
};

/// A .npy file: magic, version, header length, header, data.
std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                int major = 1, bool fortran = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  const std::size_t prefix = major == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (std::size_t i = 0, rest = header.size(); i < (major == 1 ? 2U : 4U); ++i, rest /= 256)
    file += static_cast<char>(rest % 256);
  return file + header + data;
}

template <class Integer>
std::string little_endian(const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t value : values) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 255);
  }
  return bytes;
}

TEST_F(TableTest, Text) {
  EXPECT_EQ(read("2 0 1\n"), (Map{2, 0, 1}));
  EXPECT_EQ(read("# tiles\n2, 0\t1 # end\r\n\n[3,\n 4]\n-1"), (Map{2, 0, 1, 3, 4, -1}));
}

TEST_F(TableTest, BadText) {
  const Error error = refusal("0 1\n2 x3\n");
  EXPECT_EQ(error.position().line, 2);
  EXPECT_EQ(error.position().column, 3);
  EXPECT_TRUE(contains(error.message(), "'x3'"));
  EXPECT_TRUE(contains(error.source(), "table"));
  EXPECT_TRUE(contains(refusal("0 -2 1").message(), "-2"));
  EXPECT_TRUE(contains(refusal("# nothing\n").message(), "empty"));
  EXPECT_TRUE(contains(refusal("").message(), "empty"));
  refusal("1.5");
  refusal("99999999999999999999");
}

TEST_F(TableTest, LongerThanTheGrid) {
  const std::string name = (folder_ / "long").string();
  const auto listed = [&](const std::string& bytes, std::int64_t most) {
    write_text(name, bytes);
    return order::read_table(name, most).table().size();
  };
  EXPECT_EQ(listed("0 1 2 3", 4), 4u);
  EXPECT_EQ(listed(npy("<i4", "(4,)", little_endian<std::int32_t>({0, 1, 2, 3})), 4), 4u);
  for (const std::string& bytes : {std::string("0 1 2 3 4"), "0 1 2 3 " + std::string(1 << 20, '7'),
                                   npy("<i8", "(5,)", little_endian<std::int64_t>({0, 1, 2, 3, 4})),
                                   npy("<i8", "(2147483647,)", "")}) {
    const Error error = thrown_by([&] { listed(bytes, 4); });
    EXPECT_FALSE(error.message().empty());
    EXPECT_TRUE(contains(error.source(), "long"));
  }
  EXPECT_TRUE(contains(thrown_by([&] { listed("0 1 2 3 4", 4); }).message(), "more than 4"));
}

/// Words and numbers that stand where one piece ends and the next begins.
TEST_F(TableTest, LongFiles) {
  std::string text;
  Map expected;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    text += std::to_string(i * 7 % 100'003) + (i % 11 == 0 ? " # a comment\n" : ", ");
    expected.push_back(i * 7 % 100'003);
  }
  EXPECT_EQ(read(text), expected);
  const Error error = refusal(text + "\n  wrong");
  EXPECT_TRUE(contains(error.message(), "'wrong'"));
  EXPECT_EQ(error.position().column, 3);
  EXPECT_EQ(read(npy("<i8", "(100000,)", little_endian<std::int64_t>(expected))), expected);
}

TEST_F(TableTest, NumpyIntegers) {
  const std::vector<std::int64_t> tiles = {3, 0, -1, 2, 1, 70000};
  const std::vector<std::int64_t> positive = {3, 0, 2, 1, 60000};
  EXPECT_EQ(read(npy("<i8", "(6,)", little_endian<std::int64_t>(tiles))), tiles);
  EXPECT_EQ(read(npy("<i4", "(6,)", little_endian<std::int32_t>(tiles))), tiles);
  EXPECT_EQ(read(npy("<u4", "(5,)", little_endian<std::uint32_t>(positive))), positive);
  EXPECT_EQ(read(npy("<u8", "(5,)", little_endian<std::uint64_t>(positive))), positive);
  EXPECT_EQ(read(npy("<u2", "(5,)", little_endian<std::uint16_t>(positive))), positive);
  EXPECT_EQ(read(npy("<i2", "(3,)", little_endian<std::int16_t>({7, -1, 300}))), (Map{7, -1, 300}));
  EXPECT_EQ(read(npy("<u4", "(1,)", little_endian<std::uint32_t>({4294967295}))),
            (Map{4294967295}));
}

TEST_F(TableTest, NumpyVersionsAndShapes) {
  EXPECT_EQ(read(npy("<i4", "(4,)", little_endian<std::int32_t>({3, 2, 1, 0}), 2)),
            (Map{3, 2, 1, 0}));
  EXPECT_EQ(read(npy("<i4", "(2, 2)", little_endian<std::int32_t>({3, 2, 1, 0}), 3)),
            (Map{3, 2, 1, 0}));
  EXPECT_EQ(read(npy("<i4", "(4,)", little_endian<std::int32_t>({3, 2, 1, 0}), 1, true)),
            (Map{3, 2, 1, 0}));
  EXPECT_TRUE(contains(
      refusal(npy("<i4", "(2, 2)", little_endian<std::int32_t>({3, 2, 1, 0}), 1, true)).message(),
      "Fortran"));
}

TEST_F(TableTest, BadNumpy) {
  const std::string whole = npy("<i8", "(3,)", little_endian<std::int64_t>({2, 1, 0}));
  for (const std::size_t length : {6U, 7U, 10U, 11U, 40U}) {
    EXPECT_TRUE(contains(refusal(whole.substr(0, length)).message(), "cut short")) << length;
  }
  EXPECT_TRUE(contains(refusal(npy("<f8", "(1,)", "12345678")).message(), "integers"));
  EXPECT_TRUE(contains(refusal(npy(">i8", "(1,)", "12345678")).message(), "integers"));
  EXPECT_TRUE(contains(refusal(npy("<i8", "(0,)", "")).message(), "empty"));
  refusal(npy("<i8", "(1,)", little_endian<std::int64_t>({-5})));
  refusal(npy("<u8", "(1,)", little_endian<std::int64_t>({INT64_MIN})));
}

// The header says how many numbers follow: fewer of them are not a shorter table.
TEST_F(TableTest, NumpyDataCutShort) {
  const std::string whole = npy("<i8", "(3,)", little_endian<std::int64_t>({2, 1, 0}));
  EXPECT_EQ(read(whole), (Map{2, 1, 0}));
  EXPECT_THROW(read(whole.substr(0, whole.size() - 8)), Error);
  EXPECT_THROW(read(whole.substr(0, whole.size() - 3)), Error);
}

}  // namespace
}  // namespace heddle::testing
