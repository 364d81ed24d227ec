#include "config/npy.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "support/error.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderLimitBytes = 1 << 16;
constexpr std::int64_t kNpyStoredBytes = 8;  // of one element, whatever its type

std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return result;
}

double half_value(std::uint64_t bits) {
  const auto exponent = static_cast<int>((bits >> 10) & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  double result = 0;
  if (exponent == 0x1F) {
    result = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    result = std::ldexp(fraction, -24);
  } else {
    result = std::ldexp(fraction + 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -result : result;
}

struct Header {
  char kind = 'i';  ///< NumPy's letter: b, i, u, f
  std::size_t width = 1;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
};

/// What follows "'key':" in the header's dictionary, up to the comma that ends it.
std::string_view field(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  const std::size_t start = header.find(quoted);
  if (start == std::string_view::npos) {
    throw Error(fmt::format("the .npy header has no {}", quoted), "save it again with np.save");
  }
  std::string_view rest = trim(header.substr(start + quoted.size()));
  if (rest.empty() || rest[0] != ':') {
    throw Error("the .npy header cannot be read", "save it again with np.save");
  }
  rest = trim(rest.substr(1));
  const bool tuple = !rest.empty() && rest[0] == '(';
  const std::size_t end = rest.find_first_of(tuple ? ")" : ",}");
  return trim(rest.substr(0, end == std::string_view::npos || !tuple ? end : end + 1));
}

void read_type(std::string_view text, Header& header) {
  const std::string shown(text);
  // For example '<i4': byte order, kind, bytes.
  if (text.size() == 5 && text[0] == '\'' && text[4] == '\'') {
    const char order = text[1];
    header.kind = text[2];
    header.width = static_cast<std::size_t>(text[3] - '0');
    const std::string_view widths = header.kind == 'b'                         ? "1"
                                    : header.kind == 'f'                       ? "248"
                                    : header.kind == 'i' || header.kind == 'u' ? "1248"
                                                                               : "";
    const bool ordered = order == '<' || ((order == '|' || order == '=') && header.width == 1);
    if (ordered && widths.find(text[3]) != std::string_view::npos) return;
  }
  throw Error(fmt::format("the .npy type {} is not supported", shown),
              "save little-endian integers or floats: np.save(path, array.astype(np.int32))");
}

void read_shape(std::string_view text, Header& header) {
  const Error unreadable("the .npy header has no readable shape", "save it again with np.save");
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') throw unreadable;
  text = trim(text.substr(1, text.size() - 2));
  if (!text.empty() && text.back() == ',') text.remove_suffix(1);
  if (text.empty()) return;
  for (const std::string_view part : split(text, ',')) {
    const auto extent = parse_integer(trim(part));
    if (!extent || *extent < 0) throw unreadable;
    if (__builtin_mul_overflow(header.elements, *extent, &header.elements)) {
      throw Error("the .npy file has more than 2^63 elements", "save a smaller array");
    }
    header.shape.push_back(*extent);
  }
}

std::string take(std::istream& stream, std::size_t bytes) {
  std::string data(bytes, '\0');
  stream.read(data.data(), static_cast<std::streamsize>(bytes));
  if (static_cast<std::size_t>(stream.gcount()) != bytes) {
    throw Error("the .npy file ends too early", "save it again with np.save");
  }
  return data;
}

Header read_header(std::istream& stream) {
  std::string start(kMagic.size() + 2, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start.compare(0, kMagic.size(), kMagic) != 0) {
    throw Error("this is not a .npy file", "write one with np.save(path, array)");
  }
  const char version = start[kMagic.size()];
  if (version < 1 || version > 3) {
    throw Error(fmt::format(".npy format {} is not supported", static_cast<int>(version)),
                "save it again with np.save");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length = little_endian(take(stream, length_bytes).data(), length_bytes);
  if (length > kHeaderLimitBytes) {
    throw Error(fmt::format("the .npy header takes more than {} bytes", kHeaderLimitBytes),
                "save a plain array of numbers");
  }
  const std::string text = take(stream, length);
  Header header;
  read_type(field(text, "descr"), header);
  read_shape(field(text, "shape"), header);
  if (field(text, "fortran_order") != "False" && header.shape.size() > 1) {
    throw Error("the .npy array is in Fortran order",
                "save it row-major: np.save(path, np.ascontiguousarray(array))");
  }
  return header;
}

double real_of(const Header& header, std::uint64_t bits) {
  if (header.width == 2) return half_value(bits);
  if (header.width == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

std::int64_t integer_of(const Header& header, std::uint64_t bits) {
  if (header.kind == 'b') return bits != 0 ? 1 : 0;
  if (header.kind == 'u') return static_cast<std::int64_t>(bits);
  if (header.width == 1) return static_cast<std::int8_t>(bits);
  if (header.width == 2) return static_cast<std::int16_t>(bits);
  if (header.width == 4) return static_cast<std::int32_t>(bits);
  return static_cast<std::int64_t>(bits);
}

void read_elements(std::istream& stream, const Header& header, NpyArray& array) {
  constexpr std::size_t kElementsAtOnce = 1 << 13;
  auto left = static_cast<std::size_t>(header.elements);
  while (left > 0) {
    const std::size_t count = left < kElementsAtOnce ? left : kElementsAtOnce;
    const std::string data = take(stream, count * header.width);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = little_endian(data.data() + i * header.width, header.width);
      if (array.is_real) {
        array.reals.push_back(real_of(header, bits));
      } else {
        array.integers.push_back(integer_of(header, bits));
      }
    }
    left -= count;
  }
}

NpyArray read_stream(std::istream& stream, std::int64_t limit_bytes) {
  const Header header = read_header(stream);
  if (header.elements > limit_bytes / kNpyStoredBytes) {
    throw Error(fmt::format("the .npy file has {}, more than the limit of {}",
                            count_of(header.elements, "element"),
                            with_separators(limit_bytes / kNpyStoredBytes)),
                "save a smaller array");
  }
  NpyArray array;
  array.shape = header.shape;
  array.is_real = header.kind == 'f';
  read_elements(stream, header, array);
  return array;
}

}  // namespace

NpyArray read_npy(const std::string& path, std::int64_t limit_bytes) {
  // A pipe or a device could keep a reader waiting.
  std::error_code status;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(path, status)) stream.open(path, std::ios::binary);
  if (!stream.is_open()) {
    throw Error(fmt::format("cannot read '{}'", path), "check the path; it is relative to the job");
  }
  try {
    return read_stream(stream, limit_bytes);
  } catch (const Error& error) {
    throw error.in(path);
  }
}

std::string npy_bytes(DType type, const std::vector<std::int64_t>& shape,
                      const std::vector<char>& elements) {
  const bool has_float = type == DType::float16 || type == DType::float32 || type == DType::float64;
  const char kind = type == DType::boolean ? 'b' : has_float ? 'f' : is_signed(type) ? 'i' : 'u';
  const int width = byte_width(type);
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}, ", extent);
  std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   width == 1 ? '|' : '<', kind, width, extents);
  constexpr std::size_t kBefore = 10;  // magic, version, length
  constexpr std::size_t kUnit = 64;    // the elements begin at a multiple of it
  header.append(kUnit - (kBefore + header.size() + 1) % kUnit, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += '\1';
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8 & 0xff);
  text += header;
  text.append(elements.begin(), elements.end());
  return text;
}

}  // namespace heddle::config
