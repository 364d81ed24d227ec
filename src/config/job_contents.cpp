#include "config/job_contents.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "support/error.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using ContentsKind = Contents::Kind;
constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

struct Form {
  std::string_view name;
  ContentsKind kind;
  std::size_t fewest;
  std::size_t most;
  std::string_view usage;
};

constexpr Form kForms[] = {
    {"zeros", ContentsKind::zeros, 0, 0, "zeros"},
    {"normal", ContentsKind::normal, 0, 0, "normal"},
    {"uniform", ContentsKind::uniform, 2, 2, "uniform(lo, hi)"},
    {"range", ContentsKind::range, 0, 0, "range"},
    {"constant", ContentsKind::constant, 1, 1, "constant(x)"},
    {"permutation", ContentsKind::permutation, 0, 0, "permutation"},
    {"values", ContentsKind::values, 1, kAnyLength, "values(1, 2, 3)"},
    {"csr_offsets", ContentsKind::csr_offsets, 3, 3, "csr_offsets(rows, columns, density)"},
    {"csr_columns", ContentsKind::csr_columns, 3, 3, "csr_columns(rows, columns, density)"},
    {"file", ContentsKind::file, 1, 1, "file('x.npy')"},
    {"addresses", ContentsKind::addresses, 1, kAnyLength, "addresses(t1, t2)"},
};

const Form& form_of(const Expression& text) {
  const bool call = text.kind == Expression::Kind::call;
  const Expression& head = call ? text.operands[0] : text;
  std::vector<std::string> known;
  for (const Form& form : kForms) {
    known.emplace_back(form.usage);
    if (head.kind != Expression::Kind::name || head.text != form.name) continue;
    const std::size_t count = call ? text.operands.size() - 1 : 0;
    if (count < form.fewest || count > form.most) {
      throw Error(fmt::format("{} does not take {}", form.name,
                              count_of(static_cast<std::int64_t>(count), "argument")),
                  fmt::format("write {}", form.usage));
    }
    return form;
  }
  throw Error("these contents are not known",
              fmt::format("the contents are: {}", fmt::join(known, ", ")));
}

class ContentsReader {
 public:
  ContentsReader(const Expression& text, DType dtype, std::int64_t elements, Names& names,
                 const std::string& folder)
      : text_(text), dtype_(dtype), elements_(elements), names_(names), folder_(folder) {}

  Contents run() {
    result_.kind = form_of(text_).kind;
    switch (result_.kind) {
      case ContentsKind::normal:
        if (!is_float(dtype_)) {
          throw Error("normal needs a floating type", "write uniform(lo, hi) for integers");
        }
        break;
      case ContentsKind::uniform:
        uniform();
        break;
      case ContentsKind::constant:
        result_.lo = finite(1, "the constant");
        break;
      case ContentsKind::values:
        for (std::size_t i = 1; i < text_.operands.size(); ++i) {
          result_.values.push_back(number_of(argument(i), "a value"));
        }
        need_elements(result_.values.size(), "values lists", "number");
        break;
      case ContentsKind::csr_offsets:
      case ContentsKind::csr_columns:
        sparse();
        break;
      case ContentsKind::file:
        file();
        break;
      case ContentsKind::addresses:
        addresses();
        break;
      default:
        break;
    }
    return std::move(result_);
  }

 private:
  Value argument(std::size_t i) { return evaluate(text_.operands[i], names_); }

  double finite(std::size_t i, std::string_view what) {
    const double number = number_of(argument(i), what);
    if (!std::isfinite(number)) {
      throw Error(fmt::format("{} must be finite", what), "give a number");
    }
    return number;
  }

  void need_elements(std::size_t count, std::string_view what, std::string_view noun) const {
    const auto have = static_cast<std::int64_t>(count);
    if (have == elements_) return;
    throw Error(fmt::format("{} {}, but the tensor has {}", what, count_of(have, noun),
                            count_of(elements_, "element")),
                "make both the same");
  }

  void uniform() {
    result_.lo = finite(1, "the lower bound");
    result_.hi = finite(2, "the upper bound");
    if (result_.lo >= result_.hi) {
      throw Error(fmt::format("uniform({}, {}) is empty", result_.lo, result_.hi),
                  "the upper bound is not included: write uniform(0, 1) for zeros");
    }
    if (is_integer(dtype_) && std::ceil(result_.lo) >= std::ceil(result_.hi)) {
      throw Error(fmt::format("uniform({}, {}) has no whole number", result_.lo, result_.hi),
                  "the tensor holds integers: widen the range");
    }
  }

  void sparse() {
    if (!is_integer(dtype_)) {
      throw Error("a sparse matrix's indices are integers", "use dtype = \"int32\"");
    }
    result_.rows = integer_of(argument(1), "the number of rows");
    result_.columns = integer_of(argument(2), "the number of columns");
    result_.density = number_of(argument(3), "the density");
    if (result_.rows < 0 || result_.columns < 0) {
      throw Error(fmt::format("a sparse matrix cannot be {} x {}", result_.rows, result_.columns),
                  "rows and columns are at least 0");
    }
    if (!(result_.density >= 0 && result_.density <= 1)) {
      throw Error(fmt::format("{} is not a density", result_.density),
                  "give a share between 0 and 1");
    }
    if (result_.kind == ContentsKind::csr_offsets && result_.rows != elements_ - 1) {
      throw Error(fmt::format("csr_offsets of {} has one number more, but the tensor has {}",
                              count_of(result_.rows, "row"), count_of(elements_, "element")),
                  "give it a shape of [rows + 1]");
    }
  }

  void file() {
    const Value path = argument(1);
    const auto* name = std::get_if<std::string>(&path.data);
    if (name == nullptr || name->empty()) {
      throw Error("file needs a path", "write file('x.npy'), with its quotes");
    }
    result_.path = (std::filesystem::path(folder_) / *name).string();
  }

  void addresses() {
    if (dtype_ != DType::int64 && dtype_ != DType::uint64) {
      throw Error("addresses take 64 bits", "use dtype = \"int64\"");
    }
    for (std::size_t i = 1; i < text_.operands.size(); ++i) {
      const Expression& operand = text_.operands[i];
      const bool tensor = operand.kind == Expression::Kind::name &&
                          std::holds_alternative<TensorReference>(argument(i).data);
      if (!tensor) throw Error("addresses takes names of tensors", "write addresses(t1, t2)");
      result_.tensors.push_back(operand.text);
    }
    need_elements(result_.tensors.size(), "addresses names", "tensor");
  }

  const Expression& text_;
  DType dtype_;
  std::int64_t elements_;
  Names& names_;
  const std::string& folder_;
  Contents result_;
};

}  // namespace

Contents read_contents(const Expression& text, DType dtype, std::int64_t elements, Names& names,
                       const std::string& folder) {
  return ContentsReader(text, dtype, elements, names, folder).run();
}

}  // namespace heddle::config
