#include "infer/repair.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace heddle::infer {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{8} << 30;
constexpr std::int64_t kMostGrowth = 4096;         // where guessed contents may be what is wrong
constexpr std::int64_t kMostOpenGrowth = 1 << 20;  // where sizes alone are
constexpr std::int64_t kMostBlocks = 1 << 17;      // beyond, no tiles are looked for

bool any(const std::string& name) {
  return !name.empty();
}

bool has(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// Whether an expression names it.
bool names(const std::string& expression, const std::string& name) {
  const auto is_word = [&](std::size_t at) {
    return at < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[at])) != 0 || expression[at] == '_');
  };
  for (std::size_t at = expression.find(name); at != std::string::npos;
       at = expression.find(name, at + 1))
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + name.size())) return true;
  return false;
}

const config::Tensor* find_tensor(const config::Launch* launch, const std::string& name) {
  if (launch == nullptr) return nullptr;
  for (const config::Tensor& one : launch->tensors)
    if (one.name == name) return &one;
  return nullptr;
}

std::int64_t elements_of(const config::Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= extent;
  return count;
}

/// Equal pieces, as many as a job can list; else one after the other.
std::string ascending(std::int64_t count, std::int64_t step) {
  constexpr std::int64_t kMostValues = 1000;
  if (count > kMostValues) return "range";
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(fmt::format("{}", i * step));
  return fmt::format("values({})", fmt::join(values, ", "));
}

constexpr std::int64_t kMostPlaces = 4096;  ///< that a guessed index points to

/// The extent along that axis, below 0 from the end. A first axis of 1 has no places to choose from.
std::int64_t extent_of(const config::Tensor& tensor, int axis) {
  const auto rank = static_cast<int>(tensor.shape.size());
  if (axis < 0) axis = std::max(0, axis + rank);
  while (axis + 1 < rank && tensor.shape[static_cast<std::size_t>(axis)] == 1) ++axis;
  return axis < rank ? tensor.shape[static_cast<std::size_t>(axis)] : 1;
}

/// What an index may point into: the shortest axis that the kernel takes by it. Where none is known,
/// the longest first axis of the tensors of numbers, or where there are none, of the others.
std::int64_t pool(const config::Launch* launch, const config::DraftTensor& drafted) {
  if (launch == nullptr) return 16;
  const std::string& index = drafted.name;
  std::int64_t shortest = kMostPlaces;
  bool is_known = false;
  for (const auto& [name, axis] : drafted.points_into)
    if (const config::Tensor* target = find_tensor(launch, name)) {
      shortest = std::min(shortest, extent_of(*target, axis));
      is_known = true;
    }
  if (is_known) return std::max<std::int64_t>(1, shortest);
  std::int64_t numbers = 0;
  std::int64_t others = 0;
  for (const config::Tensor& one : launch->tensors) {
    std::int64_t& most = config::is_float(one.dtype) ? numbers : others;
    if (!one.shape.empty() && one.name != index) most = std::max(most, one.shape.front());
  }
  return std::clamp<std::int64_t>(numbers > 0 ? numbers : others, 1, kMostPlaces);
}

}  // namespace

std::string tensor_name(const trace::Fault& fault, const config::Launch& launch) {
  return fault.tensor < 0 ? std::string()
                          : launch.tensors.at(static_cast<std::size_t>(fault.tensor)).name;
}

bool Repair::add_contents(const std::string& name, const config::Launch* launch) {
  config::DraftTensor* tensor = draft_.tensor(name);
  const config::Tensor* given = find_tensor(launch, name);
  if (tensor == nullptr || tensor->contents) return false;
  const std::string low = lower_case(name);
  const std::int64_t elements = given != nullptr ? elements_of(*given) : 1;
  std::string contents;
  std::string why;
  const bool ascends =
      tensor->holds_bounds ||
      has(low, {"cu_", "cum", "indptr", "start_loc", "startloc", "start_len", "offsets", "offs",
                "_starts", "start_idx", "block_start", "row_ptr", "crow"});
  const bool is_length = has(low, {"lens", "lengths", "seqlen", "seq_len", "_len", "num_tokens",
                                   "post_pad", "counts", "_sizes", "num_"});
  if (ascends && given != nullptr && elements >= 1) {
    // Equal pieces of what it divides.
    const bool open =
        has(tensor->shape_remark, {"guess", "by its use"}) && given->shape.size() == 1;
    const std::int64_t pieces =
        open || elements > 1024 ? std::min<std::int64_t>(elements, 5) : elements;
    if (pieces != elements && !open) {
      contents = "range";
    } else {
      if (pieces != elements) tensor->shape = {fmt::format("{}", pieces)};
      const std::int64_t step = std::max<std::int64_t>(
          1, std::min<std::int64_t>(256,
                                    pool(launch, *tensor) / std::max<std::int64_t>(1, pieces - 1)));
      contents = ascending(pieces, step);
      spans_[name] = step * (pieces - 1);
    }
    why = "ascending offsets";
  } else if (is_length) {
    bounds_[name] = std::min<std::int64_t>(256, pool(launch, *tensor));
    contents = fmt::format("constant({})", bounds_[name]);
    why = "lengths";
  } else if (tensor->places_writes ||
             has(low, {"slot", "dest", "perm", "mapping", "inverse", "sorted", "reorder"})) {
    contents = "permutation";
    if (tensor->places_writes) placed_.insert(name);
    why = tensor->places_writes ? "each place is written once; tiles would collide if not"
                                : "each place once";
  } else {
    bounds_[name] = pool(launch, *tensor);
    contents = fmt::format("uniform(0, {})", bounds_[name]);
    why = "within the tensors it points into";
  }
  if (tensor->dtype.text.find("int") == std::string::npos && contents == "permutation")
    contents = "uniform(0, 16)";
  tensor->contents = config::DraftValue{contents, "guess: " + why};
  note(fmt::format("contents of '{}': {}, since an address depends on them", name, contents));
  return true;
}

bool Repair::make_integer(const std::string& name) {
  config::DraftTensor* tensor = draft_.tensor(name);
  if (tensor == nullptr || tensor->dtype.text.find("int") != std::string::npos) return false;
  tensor->dtype = {"int32", "guess: the kernel needs integers", {}};
  note(fmt::format("'{}' holds int32: the kernel computes with its values as integers", name));
  return true;
}

void Repair::flip(const std::string& name) {
  const std::string low = lower_case(name);
  config::DraftTensor tensor;
  tensor.name = name;
  tensor.dtype = {
      has(low, {"idx", "indices", "cu_", "len", "offs"}) ? "int32" : "fp16", "guess", {}};
  tensor.shape = {"4096"};
  tensor.shape_remark = "guess";
  draft_.tensors.push_back(std::move(tensor));
  std::erase_if(draft_.scalars, [&](const auto& one) { return one.first == name; });
  note(fmt::format("'{}' is a tensor: the kernel uses it although host code may pass None", name));
}

/// Parameters that host code leaves out, and the kernel takes for tensors after all: the first that
/// leads further, else all of them. Those that the kernel asks for before it uses them stay None.
bool Repair::make_tensors(const Error& error) {
  const std::string finding =
      fmt::format("{}:{}:{}", error.message(), error.position().line, error.position().column);
  if (before_flip_ && before_flip_->finding == finding) draft_ = std::move(before_flip_->draft);
  before_flip_.reset();
  std::vector<std::string> open;
  for (const auto& [name, value] : draft_.scalars)
    if (value.text == "None") open.push_back(name);
  for (const std::string& name : open) {
    if (!flipped_.insert(name + " " + finding).second) continue;
    before_flip_ = BeforeFlip{draft_, finding};
    flip(name);
    return true;
  }
  if (open.empty() || !flipped_.insert(finding).second) return false;
  for (const std::string& name : open) flip(name);
  return true;
}

bool Repair::lower_grid(const config::Launch& launch) {
  const std::int64_t blocks = launch.grid.count();
  return blocks > kMostBlocks &&
         shrink(fmt::format("the launch has {} blocks", with_separators(blocks)),
                [&](const std::string& name) {
                  return std::ranges::any_of(
                      draft_.grid, [&](const std::string& axis) { return names(axis, name); });
                });
}

/// The largest size that is a guess becomes a quarter of itself.
bool Repair::shrink(const std::string& why, const std::function<bool(const std::string&)>& takes) {
  if (++shrunk_ > 12) return false;
  config::DraftValue* largest = nullptr;
  std::string name;
  std::int64_t most = 16;
  for (auto* list : {&draft_.sizes, &draft_.scalars, &draft_.constexprs})
    for (auto& [key, value] : *list) {
      const auto number = parse_integer(value.text);
      if (!number || *number <= most || !value.is_guess() || !takes(key)) continue;
      most = *number;
      largest = &value;
      name = key;
    }
  if (largest == nullptr) return false;
  largest->text = fmt::format("{}", most / 4);
  note(fmt::format("{} is {} instead of {}: {}", name, most / 4, most, why));
  return true;
}

bool Repair::mend(const Error& error, const config::Launch* launch) {
  const Cause& cause = error.cause();
  if (cause.kind != Cause::Kind::missing) before_flip_.reset();
  switch (cause.kind) {
    case Cause::Kind::contents:
      return add_contents(cause.name, launch);
    case Cause::Kind::integers:
      return make_integer(cause.name);
    case Cause::Kind::missing:
      return make_tensors(error);
    case Cause::Kind::size:
      return shrink(error.message(), any);
    case Cause::Kind::unknown:
      break;
  }
  return false;
}

std::vector<DraftOption> options_of(const config::JobDraft& draft) {
  std::vector<DraftOption> result;
  for (const auto* list : {&draft.constexprs, &draft.scalars})
    for (const auto& [name, value] : *list)
      for (const std::string& text : value.options)
        if (value.is_guess()) result.push_back({name, text});
  return result;
}

void set_option(config::JobDraft& draft, const DraftOption& option, const std::string& finding) {
  for (auto* list : {&draft.constexprs, &draft.scalars})
    for (auto& [name, value] : *list) {
      if (name != option.name) continue;
      draft.repairs.push_back(
          fmt::format("{} = {} instead of {}: {}", name, option.text, value.text, finding));
      value.text = option.text;
    }
}

/// Whether its shape is a guess, or depends on one.
bool Repair::is_open(const config::DraftTensor& tensor) {
  // A view of a tensor whose rank is not known may come out without axes.
  if (tensor.shape.empty() || has(tensor.shape_remark, {"guess", "by its use"})) return true;
  return std::ranges::any_of(tensor.shape, [&](const std::string& extent) {
    for (const auto* list : {&draft_.sizes, &draft_.scalars, &draft_.constexprs})
      for (const auto& [name, value] : *list)
        if (value.is_guess() && names(extent, name)) return true;
    return false;
  });
}

/// Longer along its first axis, as far as the kernel reaches.
bool Repair::grow(const std::string& name, std::int64_t end_byte, const config::Launch& launch) {
  config::DraftTensor* tensor = draft_.tensor(name);
  const config::Tensor* given = find_tensor(&launch, name);
  if (tensor == nullptr || given == nullptr || end_byte <= given->bytes) return false;
  if (!is_open(*tensor)) return false;
  const std::int64_t most = bounds_.empty() && spans_.empty() ? kMostOpenGrowth : kMostGrowth;
  if (end_byte > kMostBytes || end_byte / std::max<std::int64_t>(1, given->bytes) > most)
    return false;
  if (++grown_[name] > 6) return false;
  const std::int64_t width = config::byte_width(given->dtype);
  std::int64_t needed = (end_byte + width - 1) / width;
  if (given->shape.empty() || tensor->shape.empty()) {
    tensor->shape = {fmt::format("{}", needed)};
    tensor->strides.clear();
  } else {
    const std::int64_t row =
        std::max<std::int64_t>(1, given->strides.empty() ? 1 : given->strides.front());
    const std::int64_t rows = (needed + row - 1) / row;
    tensor->shape.front() = fmt::format("{}", rows);
    needed = elements_of(*given) / std::max<std::int64_t>(1, given->shape.front()) * rows;
  }
  if (tensor->contents && tensor->contents->text.starts_with("values(")) {
    const std::int64_t step =
        std::max<std::int64_t>(1, spans_[name] / std::max<std::int64_t>(1, needed - 1));
    tensor->contents->text = ascending(needed, step);
    shorten(step);
  }
  tensor->shape_remark = "guess: as far as the kernel reaches";
  note(fmt::format("'{}' has {} elements along axis 0: the kernel reaches byte {}", name,
                   tensor->shape.front(), with_separators(end_byte - 1)));
  return true;
}

bool Repair::is_length(const std::string& name) {
  const config::DraftTensor* tensor = draft_.tensor(name);
  return tensor != nullptr && tensor->contents && tensor->contents->text.starts_with("constant");
}

/// Pieces that begin so far apart are no longer than that: they would run into each other.
void Repair::shorten(std::int64_t step) {
  for (auto& [name, bound] : bounds_) {
    if (!is_length(name) || bound <= step) continue;
    bound = step;
    draft_.tensor(name)->contents->text = fmt::format("constant({})", bound);
    note(fmt::format("contents of '{}': constant({}), as far apart as its offsets", name, bound));
  }
}

/// Guessed indices point less far. Places that are not there are no reason to believe that there is one
/// for each.
bool Repair::narrow_contents() {
  bool changed = false;
  for (const std::string& name : std::exchange(placed_, {})) {
    config::DraftTensor* tensor = draft_.tensor(name);
    if (tensor == nullptr || !tensor->contents) continue;
    bounds_[name] = 4096;
    tensor->contents->text = "uniform(0, 4096)";
  }
  // Tables of places before lengths: those are seldom what is wrong.
  const bool has_table = std::ranges::any_of(
      bounds_, [&](const auto& one) { return one.second > 64 && !is_length(one.first); });
  for (auto& [name, bound] : bounds_) {
    config::DraftTensor* tensor = draft_.tensor(name);
    if (tensor == nullptr || !tensor->contents || bound <= 1) continue;
    if (has_table && is_length(name)) continue;
    bound = std::max<std::int64_t>(1, bound / 8);
    tensor->contents->text =
        is_length(name) ? fmt::format("constant({})", bound) : fmt::format("uniform(0, {})", bound);
    note(fmt::format("contents of '{}': {}, since they pointed outside", name,
                     tensor->contents->text));
    changed = true;
  }
  return changed;
}

/// A guess of 0 that the kernel divides by.
bool Repair::leave_zero() {
  for (auto* list : {&draft_.scalars, &draft_.constexprs, &draft_.sizes})
    for (auto& [name, value] : *list)
      if (value.text == "0" && value.is_guess()) {
        value.text = "1";
        note(fmt::format("{} = 1: the kernel divides by it", name));
        return true;
      }
  return false;
}

bool Repair::mend(const std::vector<trace::Fault>& faults, const config::Launch& launch) {
  using Kind = trace::Fault::Kind;
  before_flip_.reset();
  bool changed = false;
  bool is_far = false;
  bool is_large = false;
  std::map<std::string, std::int64_t> furthest;  // byte, by tensor
  for (const trace::Fault& fault : faults) {
    if (fault.kind == Kind::division_by_zero) changed = leave_zero() || changed;
    if (fault.kind == Kind::overflow || fault.end_byte > kMostBytes) is_large = true;
    if (fault.kind != Kind::out_of_bounds) continue;
    if (fault.tensor < 0 || fault.end_byte <= 0) is_far = true;
    std::int64_t& known = furthest[tensor_name(fault, launch)];
    known = std::max(known, fault.end_byte);
  }
  for (const auto& [name, end_byte] : furthest) {
    const config::Tensor* given = find_tensor(&launch, name);
    const bool is_near =
        given != nullptr && end_byte <= 64 * std::max<std::int64_t>(1, given->bytes);
    if (!bounds_.empty() && !is_near && narrow_contents()) return true;
    if (!grow(name, end_byte, launch))
      is_far = true;
    else
      changed = true;
  }
  if (changed) return true;
  if (is_far && narrow_contents()) return true;
  return is_large && shrink("offsets pass 32 bits or 8 GiB", any);
}

}  // namespace heddle::infer
