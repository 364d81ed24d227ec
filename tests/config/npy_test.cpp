#include "config/npy.h"

#include <cmath>

#include "config/testing.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kNpyLimitBytes = 1 << 20;

/// A whole file as np.save writes it.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    text += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  }
  return text + header + data;
}

std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
         ", }      \n";
}

NpyArray read(const std::string& bytes) {
  return read_npy(write_file(".npy", bytes), kNpyLimitBytes);
}

std::string bytes(std::initializer_list<int> numbers) {
  std::string result;
  for (const int number : numbers) result += static_cast<char>(number);
  return result;
}

TEST(Npy, ReadsIntegers) {
  const NpyArray wide =
      read(npy(header_of("<i4", "(2, 1)"), bytes({1, 2, 0, 0, 255, 255, 255, 255})));
  EXPECT_FALSE(wide.is_real);
  EXPECT_EQ(wide.shape, (Integers{2, 1}));
  EXPECT_EQ(wide.integers, (Integers{513, -1}));
  EXPECT_EQ(read(npy(header_of("|i1", "(2,)"), bytes({127, 128}))).integers, (Integers{127, -128}));
  EXPECT_EQ(read(npy(header_of("|u1", "(1,)"), bytes({255}))).integers, (Integers{255}));
  EXPECT_EQ(read(npy(header_of("|b1", "(2,)"), bytes({0, 1}))).integers, (Integers{0, 1}));
  EXPECT_EQ(read(npy(header_of("<i2", "(1,)"), bytes({0, 128}))).integers, (Integers{-32768}));
  EXPECT_EQ(read(npy(header_of("<u2", "(1,)"), bytes({0, 128}))).integers, (Integers{32768}));
  EXPECT_EQ(read(npy(header_of("<u4", "(1,)"), bytes({0, 0, 0, 128}))).integers,
            (Integers{std::int64_t{1} << 31}));
  EXPECT_EQ(
      read(npy(header_of("<i8", "()"), bytes({254, 255, 255, 255, 255, 255, 255, 255}))).integers,
      (Integers{-2}));
}

TEST(Npy, ReadsFloats) {
  const NpyArray single = read(npy(header_of("<f4", "(1,)"), bytes({0, 0, 192, 191})));
  EXPECT_TRUE(single.is_real);
  EXPECT_EQ(single.reals, (std::vector<double>{-1.5}));
  EXPECT_EQ(read(npy(header_of("<f8", "(1,)"), bytes({0, 0, 0, 0, 0, 0, 248, 63}))).reals,
            (std::vector<double>{1.5}));
  const NpyArray half =
      read(npy(header_of("<f2", "(6,)"), bytes({0, 62, 0, 190, 1, 0, 0, 124, 0, 252, 255, 123})));
  EXPECT_EQ(half.reals, (std::vector<double>{1.5, -1.5, 0x1p-24, INFINITY, -INFINITY, 65504}));
  EXPECT_TRUE(std::isnan(read(npy(header_of("<f2", "(1,)"), bytes({0, 126}))).reals[0]));
}

TEST(Npy, ReadsTheLaterFormats) {
  for (const char version : {'\2', '\3'}) {
    EXPECT_EQ(read(npy(header_of("|u1", "(1,)"), bytes({9}), version)).integers, (Integers{9}));
  }
  // A Fortran array of one axis is the same as any other.
  EXPECT_EQ(read(npy(header_of("|u1", "(1,)", "True"), bytes({9}))).integers, (Integers{9}));
  EXPECT_TRUE(read(npy(header_of("|u1", "(3, 0)"), "")).integers.empty());
}

std::string refusal(const std::string& file) {
  const Error error = thrown_by([&] { read(file); });
  EXPECT_EQ(error.source(), work_path(".npy"));
  return error.message() + " | " + error.hint();
}

TEST(Npy, RefusesOtherFiles) {
  EXPECT_EQ(refusal(""), "this is not a .npy file | write one with np.save(path, array)");
  EXPECT_EQ(refusal("PK\3\4 something else"),
            "this is not a .npy file | write one with np.save(path, array)");
  EXPECT_EQ(refusal(npy(header_of("|u1", "(1,)"), bytes({9}), 9)),
            ".npy format 9 is not supported | save it again with np.save");
  EXPECT_EQ(refusal(npy(header_of("<i4", "(2,)"), bytes({1, 2, 3, 4, 5, 6, 7}))),
            "the .npy file ends too early | save it again with np.save");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\1\0\xff\xff", 10) + "{}"),
            "the .npy file ends too early | save it again with np.save");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "the .npy header takes more than 65536 bytes | save a plain array of numbers");
}

TEST(Npy, RefusesOtherTypes) {
  const std::string hint =
      " | save little-endian integers or floats: np.save(path, array.astype(np.int32))";
  for (const std::string type : {">i4", "<c8", "<i3", "|O8", "=i4", "<f1", "|i4", "<U2"}) {
    EXPECT_EQ(refusal(npy(header_of(type, "(1,)"), "12345678")),
              "the .npy type '" + type + "' is not supported" + hint);
  }
  EXPECT_EQ(
      refusal(npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      "the .npy type [('a' is not supported" + hint);
}

TEST(Npy, RefusesOtherHeaders) {
  EXPECT_EQ(refusal(npy(header_of("|u1", "(2, 2)", "True"), "1234")),
            "the .npy array is in Fortran order | save it row-major: "
            "np.save(path, np.ascontiguousarray(array))");
  EXPECT_EQ(refusal(npy("{'descr': '|u1', 'fortran_order': False}", "1")),
            "the .npy header has no 'shape' | save it again with np.save");
  EXPECT_EQ(refusal(npy("{'descr' '|u1'}", "1")),
            "the .npy header cannot be read | save it again with np.save");
  for (const std::string shape : {"(-1,)", "(a,)", "3", "(1", "(1,,2)"}) {
    EXPECT_EQ(refusal(npy(header_of("|u1", shape), "1")),
              "the .npy header has no readable shape | save it again with np.save")
        << shape;
  }
}

TEST(Npy, StaysWithinTheLimit) {
  EXPECT_EQ(refusal(npy(header_of("|u1", "(1000000, 1000000)"), "1")),
            "the .npy file has 1,000,000,000,000 elements, more than the limit of 131,072 | save a "
            "smaller array");
  EXPECT_EQ(refusal(npy(header_of("|u1", "(9000000000, 9000000000)"), "1")),
            "the .npy file has more than 2^63 elements | save a smaller array");
}

TEST(Npy, NeedsAFile) {
  for (const std::string& path :
       {std::string("/dev/zero"), std::string(HEDDLE_WORK_DIR), std::string("no/such/file.npy")}) {
    EXPECT_EQ(thrown_by([&] { read_npy(path, kNpyLimitBytes); }).full_text(),
              "cannot read '" + path + "'\n  try: check the path; it is relative to the job");
  }
}

TEST(Npy, FillsTensors) {
  Tensor tensor;
  tensor.name = "x";
  tensor.dtype = DType::int8;
  tensor.shape = {2};
  tensor.strides = {1};
  tensor.bytes = 2;
  tensor.contents.kind = Contents::Kind::file;
  tensor.contents.path = write_file(".npy", npy(header_of("<i2", "(2,)"), bytes({200, 0, 5, 0})));
  const TensorData data(Launch{}, tensor, kNpyLimitBytes);
  EXPECT_EQ(data.integer(0), -56);  // wrapped to the tensor's type
  EXPECT_EQ(data.integer(1), 5);
  tensor.bytes = 3;
  EXPECT_EQ(thrown_by([&] { TensorData(Launch{}, tensor, kNpyLimitBytes); }).full_text(),
            "tensor x: '" + tensor.contents.path + "' holds 2 numbers for 3 elements in memory\n" +
                "  try: give the tensor the shape of the file's array, row-major");
  tensor.bytes = 2;
  tensor.contents.path =
      write_file(".npy", npy(header_of("<f4", "(2,)"), bytes({0, 0, 192, 191, 0, 0, 32, 64})));
  const TensorData reals(Launch{}, tensor, kNpyLimitBytes);
  EXPECT_EQ(reals.integer(0), -1);
  EXPECT_EQ(reals.integer(1), 2);
}

}  // namespace
}  // namespace heddle::testing
