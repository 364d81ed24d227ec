// Explicit tables, read piece by piece: what is held is what was listed, never the file.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "order/evaluate.h"
#include "order/read.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::order {
namespace {

/// A file or standard input, one byte or some at a time.
class Bytes {
 public:
  explicit Bytes(const std::string& name) : stream_(name == "-" ? std::cin : file_) {
    if (name == "-") return;
    std::error_code status;
    if (std::filesystem::is_directory(name, status))
      throw Error(fmt::format("'{}' is a directory", name), "name a file in it");
    file_.open(name, std::ios::binary);
    if (!file_)
      throw Error(fmt::format("cannot read '{}'", name), "check the path and its permissions");
  }

  /// The next byte without taking it; nothing at the end.
  std::optional<char> peek() {
    if (at_ == end_ && !fill()) return std::nullopt;
    return buffer_[at_];
  }
  void take() { ++at_; }
  /// Whether `count` bytes were left.
  bool take(char* into, std::size_t count) {
    while (count > 0) {
      if (at_ == end_ && !fill()) return false;
      const std::size_t part = std::min(count, end_ - at_);
      std::memcpy(into, buffer_.data() + at_, part);
      at_ += part;
      into += part;
      count -= part;
    }
    return true;
  }
  bool begins_with(std::string_view text) {
    if (at_ == end_) fill();
    return end_ - at_ >= text.size() && std::string_view(buffer_.data() + at_, text.size()) == text;
  }

 private:
  bool fill() {
    stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    at_ = 0;
    end_ = static_cast<std::size_t>(stream_.gcount());
    return end_ > 0;
  }

  std::ifstream file_;
  std::istream& stream_;
  std::array<char, 1 << 16> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

/// What is listed so far; refuses what cannot be a tile, and too many.
class Listed {
 public:
  explicit Listed(std::int64_t most) : most_(static_cast<std::size_t>(most)) {
    if (most < kMostListed) tiles_.reserve(most_);  // never copied while it grows
  }

  void expect(std::size_t count) {
    if (count > most_) throw too_many();
    tiles_.reserve(count);
  }
  void add(std::int64_t tile) {
    if (tile < kIdle)
      throw Error(fmt::format("the table holds {}", tile), "use -1 where a block does nothing");
    if (tiles_.size() == most_) throw too_many();
    tiles_.push_back(tile);
  }
  std::vector<std::int64_t> take() { return std::move(tiles_); }

 private:
  Error too_many() const {
    return Error(fmt::format("the table lists more than {} launch ids",
                             with_separators(static_cast<std::int64_t>(most_))),
                 most_ < static_cast<std::size_t>(kMostListed)
                     ? "list exactly one tile per block of the grid"
                     : "use a formula, or a smaller grid");
  }

  std::size_t most_;
  std::vector<std::int64_t> tiles_;
};

/// Numbers separated by white space or commas; '#' begins a comment.
void read_text_table(Bytes& bytes, Listed& listed) {
  constexpr std::size_t kMostShown = 40;
  constexpr std::string_view kBetween = " \t,[]\r\n";
  Position at{1, 0};  // of the byte that was taken last
  Position start;
  std::string word;
  bool in_comment = false;
  while (true) {
    const auto next = bytes.peek();
    const bool ends = !next || kBetween.find(*next) != std::string_view::npos || *next == '#';
    if (!word.empty() && ends) {
      const auto value = parse_integer(word);
      if (!value) {
        throw Error(fmt::format("'{}' is not a whole number", word.substr(0, kMostShown)),
                    "list one tile per launch id, -1 where a block does nothing")
            .at({}, start);
      }
      listed.add(*value);
      word.clear();
    }
    if (!next) return;
    bytes.take();
    ++at.column;
    if (*next == '#') in_comment = true;
    if (*next == '\n') {
      in_comment = false;
      at = {at.line + 1, 0};
    }
    if (ends || in_comment) continue;
    if (word.empty()) start = at;
    if (word.size() <= kMostShown) word += *next;  // longer ones are not numbers
  }
}

Error bad_npy(const std::string& what) {
  return Error("the .npy file " + what, "save it with numpy.save(file, array.astype('int64'))");
}

/// The text that describes an array of NumPy's formats 1.0 to 3.0.
std::string npy_header(Bytes& bytes) {
  constexpr std::size_t kMostHeader = 1 << 16;
  std::array<unsigned char, 12> prefix{};
  auto* const raw = reinterpret_cast<char*>(prefix.data());
  if (!bytes.take(raw, 8)) throw bad_npy("is cut short");
  const std::size_t width = prefix[6] == 1 ? 2 : 4;
  if (!bytes.take(raw + 8, width)) throw bad_npy("is cut short");
  std::size_t length = 0;
  for (std::size_t i = 8 + width; i-- > 8;) length = length * 256 + prefix[i];
  if (length > kMostHeader) throw bad_npy("has an odd header");
  std::string header(length, ' ');
  if (!bytes.take(header.data(), length)) throw bad_npy("is cut short");
  return header;
}

/// How many integers its shape holds.
std::size_t npy_count(std::string_view header) {
  const std::size_t open = header.find('(');
  const std::size_t close = header.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    throw bad_npy("has no shape");
  std::size_t count = 1;
  int axes = 0;
  for (const std::string_view part : split(header.substr(open + 1, close - open - 1), ',')) {
    if (trim(part).empty()) continue;
    const auto extent = parse_integer(trim(part));
    if (!extent || *extent < 0 || *extent > kBlockLimit ||
        count > static_cast<std::size_t>(kBlockLimit))
      throw bad_npy("has an odd shape");
    count *= static_cast<std::size_t>(*extent);
    ++axes;
  }
  if (axes > 1 && header.find("'fortran_order': True") != std::string_view::npos)
    throw bad_npy("is in Fortran order");
  return count;
}

template <class Integer>
void read_integers(Bytes& bytes, std::size_t count, Listed& listed) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, sizeof(Integer)> raw{};
    if (!bytes.take(raw.data(), raw.size())) throw bad_npy("is cut short");
    Integer value;
    std::memcpy(&value, raw.data(), sizeof value);
    listed.add(static_cast<std::int64_t>(value));
  }
}

/// NumPy's format 1.0 to 3.0: little-endian integers, any shape, C order.
void read_npy_table(Bytes& bytes, Listed& listed) {
  const std::string header = npy_header(bytes);
  const std::size_t count = npy_count(header);
  const auto holds = [&](std::string_view type) { return header.find(type) != std::string::npos; };
  listed.expect(count);
  if (holds("'<i8'") || holds("'<u8'")) return read_integers<std::int64_t>(bytes, count, listed);
  if (holds("'<i4'")) return read_integers<std::int32_t>(bytes, count, listed);
  if (holds("'<u4'")) return read_integers<std::uint32_t>(bytes, count, listed);
  if (holds("'<i2'")) return read_integers<std::int16_t>(bytes, count, listed);
  if (holds("'<u2'")) return read_integers<std::uint16_t>(bytes, count, listed);
  throw bad_npy("does not hold little-endian integers");
}

}  // namespace

Order read_table(const std::string& file, std::int64_t most) {
  Bytes bytes(file);
  Listed listed(most);
  try {
    if (bytes.begins_with("\x93NUMPY"))
      read_npy_table(bytes, listed);
    else
      read_text_table(bytes, listed);
    std::vector<std::int64_t> tiles = listed.take();
    if (tiles.empty()) throw Error("the table is empty", "list one tile per launch id");
    return Order::from_table(std::move(tiles), display_name(file));
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(display_name(file)) : error;
  }
}

}  // namespace heddle::order
