#include "profile/workload/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace heddle::profile {
namespace {

/// With 32 added, zlib takes gzip and zlib headers alike.
constexpr int kAnyHeader = MAX_WBITS + 32;
constexpr std::size_t kPiece = std::size_t{64} << 10;

bool only_zeros(const z_stream& stream) {
  return std::all_of(stream.next_in, stream.next_in + stream.avail_in,
                     [](Bytef byte) { return byte == 0; });
}

}  // namespace

Unpacked gunzip(std::string_view packed, std::size_t limit_bytes) {
  Unpacked result;
  z_stream stream{};
  if (inflateInit2(&stream, kAnyHeader) != Z_OK) return {{}, "zlib could not be started"};
  std::array<unsigned char, kPiece> piece{};
  int state = Z_OK;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t length =
          std::min<std::size_t>(packed.size(), std::numeric_limits<uInt>::max());
      // zlib's interface predates const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      stream.avail_in = static_cast<uInt>(length);
      packed.remove_prefix(length);
    }
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = piece.size() - stream.avail_out;
    if (result.text.size() + made > limit_bytes) {
      result.damage = "it unpacks to more than is read";
      break;
    }
    result.text.append(reinterpret_cast<const char*>(piece.data()), made);
    if (state == Z_STREAM_END) {
      // Several members may follow one another; zero bytes fill up a block of a tape.
      if (only_zeros(stream) && packed.find_first_not_of('\0') == std::string_view::npos) break;
      if (inflateReset(&stream) != Z_OK) break;
      continue;
    }
    if (state != Z_OK || (made == 0 && stream.avail_in == 0 && packed.empty())) {
      result.damage = state == Z_OK || state == Z_BUF_ERROR ? "the packed file ends early"
                                                            : "the packed file is damaged";
      break;
    }
  }
  inflateEnd(&stream);
  return result;
}

}  // namespace heddle::profile
