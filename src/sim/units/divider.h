// Division by a number that the compiler does not know, as one multiplication.
#pragma once

#include <cstdint>

namespace heddle::sim {

class Divider {
 public:
  Divider() = default;
  /// Exact for every n below 2^32.
  explicit Divider(std::uint32_t divisor)
      : divisor_(divisor), magic_(divisor > 1 ? ~std::uint64_t{0} / divisor + 1 : 0) {}

  std::uint32_t quotient(std::uint32_t n) const {
    return magic_ == 0 ? n : static_cast<std::uint32_t>(Wide{magic_} * n >> 64);
  }
  std::uint32_t remainder(std::uint32_t n, std::uint32_t quotient) const {
    return n - quotient * divisor_;
  }
  std::uint32_t divisor() const { return divisor_; }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint32_t divisor_ = 1;
  std::uint64_t magic_ = 0;
};

}  // namespace heddle::sim
