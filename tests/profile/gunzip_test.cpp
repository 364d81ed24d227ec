// Packed files: whole, cut, damaged, several in a row, and ones that never end.
#include "profile/workload/gunzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "profile/packing.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 20;

std::string sample() {
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + random() % 7);
  return text;
}

TEST(Gunzip, whole) {
  const Unpacked result = gunzip(packed(sample()), kLimit);
  EXPECT_EQ(result.text, sample());
  EXPECT_EQ(result.damage, "");
  EXPECT_EQ(gunzip(packed(""), kLimit).damage, "");
}

TEST(Gunzip, members_in_a_row_and_zeros_behind_them) {
  const std::string bytes = packed("one,") + packed("") + packed("two") + std::string(1000, '\0');
  const Unpacked result = gunzip(bytes, kLimit);
  EXPECT_EQ(result.text, "one,two");
  EXPECT_EQ(result.damage, "");
}

TEST(Gunzip, cut_anywhere_keeps_a_beginning) {
  const std::string whole = packed(sample());
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    const Unpacked result = gunzip(whole.substr(0, length), kLimit);
    EXPECT_EQ(result.damage, "the packed file ends early") << length;
    EXPECT_TRUE(sample().starts_with(result.text)) << length;
  }
}

TEST(Gunzip, damage_is_said) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = packed(sample());
    // Bytes 3 to 9 of the header are flags and a time.
    bytes[10 + random() % (bytes.size() - 10)] ^= static_cast<char>(1 + random() % 255);
    EXPECT_NE(gunzip(bytes, kLimit).damage, "");
  }
  EXPECT_NE(gunzip("no gzip at all", kLimit).damage, "");
  EXPECT_NE(gunzip(packed("one") + "more", kLimit).damage, "");
  EXPECT_EQ(gunzip(packed("one") + "more", kLimit).text, "one");
}

TEST(Gunzip, what_unpacks_to_more_than_the_limit_stops_there) {
  const Unpacked result = gunzip(packed(std::string(kLimit * 40, 'x')), kLimit);
  EXPECT_LE(result.text.size(), kLimit);
  EXPECT_EQ(result.damage, "it unpacks to more than is read");
  EXPECT_EQ(gunzip(packed(std::string(kLimit, 'x')), kLimit).damage, "");
}

TEST(Gunzip, knows_its_own) {
  EXPECT_TRUE(is_gzip(packed("x")));
  EXPECT_FALSE(is_gzip("Dispatch_ID"));
  EXPECT_FALSE(is_gzip(""));
}

}  // namespace
}  // namespace heddle::profile
