#include "order/read.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "order/compact.h"
#include "order/evaluate.h"
#include "order/parse_c_like.h"
#include "order/parse_triton.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::order {
namespace {

bool is_fence(std::string_view line) {
  return trim(line).substr(0, 3) == "```";
}

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

/// Keeps the lines that `keep` wants and empties the others, so that line numbers stay.
template <class Keep>
std::string filter_lines(std::string_view text, Keep keep) {
  std::string result;
  for (const std::string_view line : split_lines(text)) {
    if (keep(line)) result += line;
    result += '\n';
  }
  return result;
}

std::string drop_fence_lines(std::string_view text) {
  return filter_lines(text, [](std::string_view line) { return !is_fence(line); });
}

Module parse(std::string_view text, Language language) {
  return language == Language::triton ? parse_triton(text) : parse_c_like(text);
}

std::optional<Program> try_lower(std::string_view code, Language language,
                                 const LowerOptions& options) {
  try {
    return lower(parse(code, language), options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Language find_language(std::string_view text, std::string_view source) {
  for (const std::string_view ending : {".py", ".triton"}) {
    if (ends_with(source, ending)) return Language::triton;
  }
  for (const std::string_view ending :
       {".cu", ".hip", ".cl", ".c", ".cpp", ".cc", ".h", ".hpp", ".cuh"}) {
    if (ends_with(source, ending)) return Language::c_like;
  }
  bool looks_c = false;
  bool looks_python = false;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view start = trim(line);
    for (const std::string_view sign :
         {"#define", "#include", "#pragma", "//", "/*", "int", "unsigned", "const", "auto", "long",
          "size_t", "uint", "int32_t", "uint32_t", "int64_t", "__device__"}) {
      const bool is_word = sign[0] != '/' && sign[0] != '#';
      looks_c = looks_c ||
                (is_word ? starts_with_word(start, sign) : start.substr(0, sign.size()) == sign);
    }
    const std::string_view code =
        start.substr(0, start.find('#'));  // what stands in comments decides nothing
    for (const std::string_view sign : {"tl.", "triton.", "def ", "elif ", "program_id("}) {
      looks_python = looks_python || code.find(sign) != std::string_view::npos;
    }
    for (const std::string_view sign :
         {"blockIdx.", "BlockIdx_", "gridDim.", "GridDim_", "get_group_id(", "get_num_groups(",
          "&&", "||", "{", "?", "/*"}) {
      looks_c = looks_c || code.find(sign) != std::string_view::npos;
    }
  }
  return looks_c && !looks_python ? Language::c_like : Language::triton;
}

std::string without_fences(std::string_view text) {
  int fences = 0;
  for (const std::string_view line : split_lines(text)) fences += is_fence(line) ? 1 : 0;
  if (fences < 2) return drop_fence_lines(text);
  bool inside = false;
  return filter_lines(text, [&](std::string_view line) {
    if (!is_fence(line)) return inside;
    inside = !inside;
    return false;
  });
}

Program lower_formula(std::string_view text, std::string_view source,
                      std::optional<Language> language, const LowerOptions& options) {
  if (text.size() > kSourceLimit) {
    throw Error(fmt::format("the order is larger than {} bytes", kSourceLimit),
                "give only the index arithmetic");
  }
  const std::string code = without_fences(text);
  const Language chosen = language ? *language : find_language(code, source);
  try {
    return lower(parse(code, chosen), options);
  } catch (const Error&) {
    // Perhaps the code stands outside of the fences, or the language was guessed wrong. If no other
    // reading works either, the first one is what was meant, and its error the one to show.
    const Language other = chosen == Language::triton ? Language::c_like : Language::triton;
    const std::string everything = drop_fence_lines(text);
    if (everything != code) {
      if (auto program = try_lower(everything, chosen, options)) return *std::move(program);
    }
    if (!language) {
      if (auto program = try_lower(code, other, options)) return *std::move(program);
    }
    throw;
  }
}

Order read_order(const std::string& argument, const ReadOptions& options) {
  std::error_code status;
  const bool is_file = argument == "-" || std::filesystem::exists(argument, status);
  if (!is_file) {
    if (looks_compact(argument)) return read_compact(argument);
    for (const std::string_view sign :
         {"p0", "program_id", "blockIdx", "BlockIdx", "get_group_id"}) {
      if (argument.find(sign) != std::string::npos)
        return Order::from_formula(argument, kInline, options);
    }
    std::string names;
    for (const Family& family : families()) names += fmt::format(" {}", family.name);
    throw Error(fmt::format("'{}' is neither a file nor an order", argument),
                fmt::format("give a file, '-', a formula over p0 and g0, or a family:{}", names));
  }
  std::string text = read_text(argument, kSourceLimit);
  if (looks_compact(text)) return read_compact(trim(text));
  return Order::from_formula(std::move(text), display_name(argument), options);
}

namespace {

constexpr std::size_t kTableLimit = std::size_t{1} << 30;  ///< bytes of a table file

/// Numbers separated by white space or commas; '#' begins a comment.
std::vector<std::int64_t> read_text_table(std::string_view text) {
  std::vector<std::int64_t> tiles;
  int number = 0;
  for (std::string_view line : split_lines(text)) {
    ++number;
    line = line.substr(0, line.find('#'));
    std::size_t at = 0;
    while (at < line.size()) {
      const std::size_t start = line.find_first_not_of(" \t,[]", at);
      if (start == std::string_view::npos) break;
      const std::size_t end = std::min(line.find_first_of(" \t,[]", start), line.size());
      const auto value = parse_integer(line.substr(start, end - start));
      if (!value) {
        throw Error(fmt::format("'{}' is not a whole number",
                                line.substr(start, std::min<std::size_t>(end - start, 40))),
                    "list one tile per launch id, -1 where a block does nothing")
            .at({}, {number, static_cast<int>(start) + 1});
      }
      tiles.push_back(*value);
      at = end;
    }
  }
  return tiles;
}

template <class Integer>
void append_integers(std::string_view bytes, std::size_t count, std::vector<std::int64_t>& tiles) {
  if (bytes.size() / sizeof(Integer) < count) return;  // the caller sees that too few came
  for (std::size_t i = 0; i < count; ++i) {
    Integer value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    tiles.push_back(static_cast<std::int64_t>(value));
  }
}

/// NumPy's format 1.0 to 3.0: little-endian integers, any shape, C order.
std::vector<std::int64_t> read_npy_table(std::string_view bytes) {
  const auto bad = [](const std::string& what) {
    return Error("the .npy file " + what, "save it with numpy.save(file, array.astype('int64'))");
  };
  if (bytes.size() < 12) throw bad("is cut short");
  const int major = static_cast<unsigned char>(bytes[6]);
  const std::size_t prefix = major == 1 ? 10 : 12;
  std::size_t length = 0;
  for (std::size_t i = prefix; i-- > 8;)
    length = length * 256 + static_cast<unsigned char>(bytes[i]);
  if (length > bytes.size() - prefix) throw bad("is cut short");
  const std::string_view header = bytes.substr(prefix, length);
  const std::string_view data = bytes.substr(prefix + length);
  const std::size_t open = header.find('(');
  const std::size_t close = header.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    throw bad("has no shape");
  std::size_t count = 1;
  int axes = 0;
  for (const std::string_view part : split(header.substr(open + 1, close - open - 1), ',')) {
    if (trim(part).empty()) continue;
    const auto extent = parse_integer(trim(part));
    if (!extent || *extent < 0 || *extent > kBlockLimit ||
        count > static_cast<std::size_t>(kBlockLimit))
      throw bad("has an odd shape");
    count *= static_cast<std::size_t>(*extent);
    ++axes;
  }
  if (axes > 1 && header.find("'fortran_order': True") != std::string_view::npos)
    throw bad("is in Fortran order");
  std::vector<std::int64_t> tiles;
  const auto holds = [&](std::string_view type) {
    return header.find(type) != std::string_view::npos;
  };
  if (holds("'<i8'") || holds("'<u8'"))
    append_integers<std::int64_t>(data, count, tiles);
  else if (holds("'<i4'"))
    append_integers<std::int32_t>(data, count, tiles);
  else if (holds("'<u4'"))
    append_integers<std::uint32_t>(data, count, tiles);
  else if (holds("'<i2'"))
    append_integers<std::int16_t>(data, count, tiles);
  else if (holds("'<u2'"))
    append_integers<std::uint16_t>(data, count, tiles);
  else
    throw bad("does not hold little-endian integers");
  if (tiles.size() != count) throw bad("is cut short");
  return tiles;
}

}  // namespace

Order read_table(const std::string& file) {
  const std::string bytes = read_text(file, kTableLimit);
  const bool is_npy = bytes.compare(0, 6, "\x93NUMPY") == 0;
  try {
    std::vector<std::int64_t> tiles = is_npy ? read_npy_table(bytes) : read_text_table(bytes);
    if (tiles.empty()) throw Error("the table is empty", "list one tile per launch id");
    for (const std::int64_t tile : tiles) {
      if (tile < kIdle)
        throw Error(fmt::format("the table holds {}", tile), "use -1 where a block does nothing");
    }
    return Order::from_table(std::move(tiles), display_name(file));
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(display_name(file)) : error;
  }
}

}  // namespace heddle::order
