// Elements of tensors: bytes and values, contents by seed, comparisons; lines of workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "agent/agent_files.h"
#include "agent/program/compare.h"
#include "agent/program/contents.h"
#include "agent/program/dtype.h"
#include "agent/program/protocol.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;

std::uint32_t bits_of(Dtype dtype, double value) {
  std::uint32_t bits = 0;
  encode(dtype, value, &bits);
  return bits;
}

TEST(Values, small_floating_types_are_rounded_to_nearest) {
  EXPECT_EQ(bits_of(Dtype::fp16, 1), 0x3c00U);
  EXPECT_EQ(bits_of(Dtype::fp16, -2), 0xc000U);
  EXPECT_EQ(bits_of(Dtype::fp16, 65504), 0x7bffU);
  EXPECT_EQ(bits_of(Dtype::fp16, 65519), 0x7bffU);
  EXPECT_EQ(bits_of(Dtype::fp16, 65520), 0x7c00U);
  EXPECT_EQ(bits_of(Dtype::fp16, 0x1p-24), 0x0001U);
  EXPECT_EQ(bits_of(Dtype::fp16, 0x1p-25), 0x0000U);  // a tie, to even
  EXPECT_EQ(bits_of(Dtype::fp16, 1 + 0x1p-11), 0x3c00U);
  EXPECT_EQ(bits_of(Dtype::fp16, 1 + 3 * 0x1p-11), 0x3c02U);
  EXPECT_EQ(bits_of(Dtype::bf16, 1), 0x3f80U);
  EXPECT_EQ(bits_of(Dtype::bf16, 3.140625), 0x4049U);
  EXPECT_EQ(bits_of(Dtype::fp8e4nv, 448), 0x7eU);
  EXPECT_EQ(bits_of(Dtype::fp8e4nv, 1000), 0x7eU);
  EXPECT_EQ(bits_of(Dtype::fp8e4nv, 1), 0x38U);
  EXPECT_EQ(bits_of(Dtype::fp8e4nv, NAN) & 0x7fU, 0x7fU);
  EXPECT_EQ(bits_of(Dtype::fp8e5, 57344), 0x7bU);
  EXPECT_EQ(bits_of(Dtype::fp8e5, INFINITY), 0x7cU);
  EXPECT_EQ(bits_of(Dtype::fp16, -0.0), 0x8000U);
}

TEST(Values, every_code_of_a_small_type_comes_back) {
  for (const Dtype dtype : {Dtype::fp16, Dtype::bf16, Dtype::fp8e4nv, Dtype::fp8e5}) {
    const std::uint32_t codes = bytes_of(dtype) == 1 ? 256 : 65536;
    for (std::uint32_t code = 0; code < codes; ++code) {
      const double value = decode(dtype, &code);
      if (std::isnan(value)) continue;
      ASSERT_EQ(bits_of(dtype, value), code) << name_of(dtype) << " " << value;
    }
  }
}

TEST(Values, integers_as_text) {
  std::uint64_t bits = 0;
  EXPECT_TRUE(encode_text(Dtype::int8, "-128", &bits));
  EXPECT_EQ(value_text(Dtype::int8, &bits), "-128");
  EXPECT_FALSE(encode_text(Dtype::int8, "128", &bits));
  EXPECT_TRUE(encode_text(Dtype::uint64, "18446744073709551615", &bits));
  EXPECT_EQ(value_text(Dtype::uint64, &bits), "18446744073709551615");
  EXPECT_TRUE(encode_text(Dtype::fp32, "inf", &bits));
  EXPECT_EQ(value_text(Dtype::fp32, &bits), "inf");
}

Tensor tensor_of(Dtype dtype, std::uint64_t elements, ContentsKind kind) {
  Tensor tensor;
  tensor.name = "t";
  tensor.dtype = dtype;
  tensor.bytes = elements * bytes_of(dtype);
  tensor.contents.kind = kind;
  return tensor;
}

TEST(Values, contents_follow_their_seed) {
  const Tensor tensor = tensor_of(Dtype::fp32, 1000, ContentsKind::random);
  const HostContents one = make_contents(tensor, {1, 0, "", {}});
  EXPECT_EQ(one.block, make_contents(tensor, {1, 0, "", {}}).block);
  EXPECT_NE(one.block, make_contents(tensor, {2, 0, "", {}}).block);
  EXPECT_NE(one.block, make_contents(tensor, {1, 1, "", {}}).block);
  double sum = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double value = decode(Dtype::fp32, one.block.data() + i * 4);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.1);
}

TEST(Values, contents_of_integers) {
  Tensor tensor = tensor_of(Dtype::int32, 1000, ContentsKind::uniform);
  tensor.contents.low = -2;
  tensor.contents.high = 3;
  std::set<double> values;
  const HostContents contents = make_contents(tensor, {1, 0, "", {}});
  for (std::size_t i = 0; i < 1000; ++i)
    values.insert(decode(Dtype::int32, contents.block.data() + i * 4));
  EXPECT_EQ(values, (std::set<double>{-2, -1, 0, 1, 2}));
  const HostContents range =
      make_contents(tensor_of(Dtype::int16, 300, ContentsKind::range), {1, 0, "", {}});
  EXPECT_EQ(decode(Dtype::int16, range.block.data() + 2 * 299), 299);
}

TEST(Values, large_contents_repeat) {
  const Tensor tensor = tensor_of(Dtype::fp64, std::uint64_t{1} << 20, ContentsKind::constant);
  const HostContents contents = make_contents(tensor, {1, 0, "", {}});
  EXPECT_LT(contents.block.size(), std::size_t{5} << 20);
  EXPECT_EQ(contents.block.size() % 8, 0U);
  Bytes bytes(100);
  const std::uint64_t period = contents.block.size();
  copy_contents(contents, period - 50, 100, bytes.data());
  EXPECT_EQ(std::memcmp(bytes.data(), contents.block.data() + period - 50, 50), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + 50, contents.block.data(), 50), 0);
}

TEST(Values, places_by_shape_and_strides) {
  Tensor tensor = tensor_of(Dtype::fp32, 1000, ContentsKind::zeros);
  EXPECT_EQ(place_text(tensor, 77), "element 77");
  tensor.shape = {10, 20};
  EXPECT_EQ(place_text(tensor, 77), "(3, 17)");
  tensor.strides = {1, 10};
  EXPECT_EQ(place_text(tensor, 77), "(7, 7)");
  tensor.strides = {32, 1};
  EXPECT_EQ(place_text(tensor, 33), "(1, 1)");
  EXPECT_EQ(place_text(tensor, 25), "element 25");  // between rows
  tensor.strides = {0, 1};
  EXPECT_EQ(place_text(tensor, 5), "(0, 5)");
}

Bytes numbers(std::initializer_list<float> values) {
  Bytes bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

Bytes with_pattern(Bytes bytes, std::size_t element, unsigned char pattern) {
  std::memset(bytes.data() + element * 4, pattern, 4);
  return bytes;
}

TEST(Values, comparisons) {
  Tensor tensor = tensor_of(Dtype::fp32, 3, ContentsKind::zeros);
  tensor.use = Use::write;
  const Bytes right = numbers({1, 2, 3});
  // The original leaves element 2 alone.
  const Bytes first = with_pattern(right, 2, kFirstPattern);
  const Bytes second = with_pattern(right, 2, kSecondPattern);
  const Reference reference = make_reference(tensor, first, first, second);
  EXPECT_FALSE(reference.varies);
  EXPECT_TRUE(compare(tensor, reference, nullptr, nullptr).equal);
  EXPECT_TRUE(compare(tensor, reference, &first, &second).equal);
  // What the original does not write, a candidate must not either.
  EXPECT_FALSE(compare(tensor, reference, &right, &right).equal);
  const Bytes skipped_first = with_pattern(first, 0, kFirstPattern);
  const Bytes skipped_second = with_pattern(second, 0, kSecondPattern);
  const Comparison skipped = compare(tensor, reference, &skipped_first, &skipped_second);
  EXPECT_TRUE(skipped.unwritten);
  EXPECT_EQ(skipped.detail,
            "tensor t at element 0: expected 1, found what was there before; 1 of 3 elements");
  // Not written in one of the runs only: it depends on something, but it was written.
  EXPECT_FALSE(compare(tensor, reference, &skipped_first, nullptr).unwritten);
  EXPECT_FALSE(compare(tensor, reference, &skipped_first, nullptr).equal);
}

TEST(Values, an_original_that_varies) {
  Tensor tensor = tensor_of(Dtype::fp32, 3, ContentsKind::zeros);
  tensor.use = Use::update;
  const Reference reference =
      make_reference(tensor, numbers({1, 2, 3}), numbers({1, 2.25, 3}), numbers({1, 2, 3}));
  EXPECT_TRUE(reference.varies);
  EXPECT_EQ(reference.spread, 0.25);
  const Bytes near = numbers({1, 4, 3});
  const Bytes far = numbers({1, 4.25, 3});
  const Bytes none = numbers({1, NAN, 3});
  EXPECT_TRUE(compare(tensor, reference, &near, nullptr).equal);
  EXPECT_EQ(compare(tensor, reference, &near, nullptr).distance, 2);
  EXPECT_FALSE(compare(tensor, reference, &far, nullptr).equal);
  EXPECT_FALSE(compare(tensor, reference, &none, nullptr).equal);
}

TEST(Protocol, lines_are_a_strangers) {
  Bundle bundle;
  bundle.seeds = {1, 2};
  bundle.rounds = 10;
  bundle.launches.emplace_back();
  bundle.launches[0].name = "main";
  const auto word = [&](const char* line) { return parse_line(line, bundle, {"1", "0b"}).word; };
  EXPECT_EQ(word("begin 1 main 2"), Word::begin);
  EXPECT_EQ(word("begin 0 main 2"), Word::begin);
  EXPECT_EQ(word("rejected 1 main 2 fault it did"), Word::rejected);
  EXPECT_EQ(word("rejected 1 - - compile "), Word::rejected);
  EXPECT_EQ(word("sample 10 3 0b cold 1 12.5"), Word::sample);
  EXPECT_EQ(word("warmed 100 unstable"), Word::warmed);
  EXPECT_EQ(word("done"), Word::done);
  EXPECT_EQ(word("rejected 1 main - compile x"), Word::rejected);
  EXPECT_EQ(word("compiled 1 128 - 0"), Word::compiled);
  EXPECT_EQ(word("bundle 7"), Word::bundle);
  EXPECT_EQ(word("finished"), Word::finished);
  EXPECT_EQ(word("busy"), Word::busy);
  EXPECT_EQ(word(""), Word::noise);
  EXPECT_EQ(word("Warning: something"), Word::noise);
  for (const char* broken : {"begin",
                             "begin 2 main 1",
                             "begin 1 other 1",
                             "begin 1 main 3",
                             "begin 1 main 1 1",
                             "begin  1 main 1",
                             "rejected 1 main 2 boredom x",
                             "rejected 1 - 2 fault x",
                             "sample 11 1 1 cold 1 5",
                             "sample 1 4 1 cold 1 5",
                             "sample 1 1 1 tepid 1 5",
                             "sample 1 1 1 cold 0 5",
                             "sample 1 1 1 cold 1 -5",
                             "sample 1 1 1 cold 1 nan",
                             "sample 1 1 1 cold 1 inf",
                             "sample 1 1 1 cold 1 0",
                             "warmed x stable",
                             "warmed 1 tired",
                             "fact UPPER x",
                             "done and done",
                             "checked 9",
                             "rejected 1 other - compile x",
                             "compiled 0b 1 1 1",
                             "compiled 1 1 1",
                             "compiled 1 many 1 1",
                             "compiled 1 -1 1 1",
                             "bundle 10001",
                             "bundle x"})
    EXPECT_EQ(word(broken), Word::broken) << broken;
}

TEST(Sources, travel_with_heddle) {
  std::set<std::string> names;
  for (const AgentFile& file : agent_files()) {
    names.insert(file.path);
    EXPECT_LT(file.text.size(), std::size_t{64} << 10) << file.path;
  }
  EXPECT_TRUE(names.contains("main.cpp"));
  EXPECT_TRUE(names.contains("run.sh"));
  EXPECT_TRUE(names.contains("statistics.h"));
}

}  // namespace
}  // namespace heddle::agent
