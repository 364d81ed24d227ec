#include "emit/rewrite_cxx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "emit/kernel_code.h"
#include "support/text.h"

namespace heddle::emit {
namespace {

using kernel::cxx::CxxSource;
using kernel::cxx::Token;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kFewestColumns = 40;

class Rewriting {
 public:
  Rewriting(const CxxBlocks& blocks, const proof::ProvenOrder& proven,
            const Independence& independence, const std::vector<std::string>& assumptions)
      : blocks_(blocks),
        proven_(proven),
        independence_(independence),
        assumptions_(assumptions),
        text_(blocks.source->text()),
        tokens_(blocks.source->tokens()) {}

  std::string run() {
    check_axes(blocks_, proven_.shape());
    check_names();
    find_margin();
    const PrintedParts code = kernel_code(proven_, context());
    names_ = code.names;
    const std::string lines = fitted(code.lines + definitions(code));
    std::string after = text_.substr(0, place_);
    if (on_brace_line_) after += ending_;
    after += lines;
    if (on_brace_line_) after += margin_;
    std::size_t at = on_brace_line_ ? first_visible(place_) : place_;
    for (const BlockUse& use : blocks_.uses) {
      after += text_.substr(at, tokens_[use.begin].offset - at);
      after += names_[static_cast<std::size_t>(use.axis)];
      at = end_of(use.end);
    }
    after += text_.substr(at);
    check_text(after);
    return after;
  }

 private:
  std::size_t end_of(std::size_t token) const {
    return tokens_[token].offset + tokens_[token].text.size();
  }
  std::size_t line_begin(std::size_t offset) const {
    const std::size_t end = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    return end == std::string::npos ? 0 : end + 1;
  }
  std::size_t first_visible(std::size_t offset) const {
    return std::min(text_.find_first_not_of(" \t", offset), text_.size());
  }
  /// The blanks that a line begins with.
  std::string margin_of(std::size_t offset) const {
    const std::size_t begin = line_begin(offset);
    return text_.substr(begin, first_visible(begin) - begin);
  }

  void check_names() const {
    for (const std::string& name : free_names(proven_)) {
      if (blocks_.known.count(name) > 0) continue;
      throw Error(fmt::format("the order uses '{}', which is no int of the kernel with a value "
                              "where its body begins",
                              name),
                  blocks_.known.empty() ? "write the order without it"
                                        : fmt::format("write the order with the kernel's own: {}",
                                                      fmt::join(blocks_.known, " ")))
          .at(blocks_.source->path(), blocks_.function->position);
    }
  }

  /// The code stands below the brace's line where that line has nothing else, or only a // comment.
  void find_margin() {
    const std::size_t brace = end_of(blocks_.function->body_begin);
    const std::size_t end = std::min(text_.find('\n', brace), text_.size());
    const std::string_view rest = trim(std::string_view(text_).substr(brace, end - brace));
    const bool is_comment = rest.substr(0, 2) == "//" && rest.back() != '\\';
    on_brace_line_ = end == text_.size() || (!rest.empty() && !is_comment);
    place_ = on_brace_line_ ? brace : end + 1;
    const std::size_t newline = text_.find('\n');
    ending_ =
        newline != std::string::npos && newline > 0 && text_[newline - 1] == '\r' ? "\r\n" : "\n";
    outer_ = margin_of(tokens_[blocks_.function->begin].offset);
    margin_ = outer_ + "  ";
    const Token& first = tokens_[blocks_.function->body_begin + 1];
    const bool begins_line = first.offset >= place_ && !on_brace_line_ &&
                             first_visible(line_begin(first.offset)) == first.offset;
    const bool is_statement =
        begins_line && first.kind != kernel::cxx::TokenKind::directive && first.text != "}";
    const std::string found = is_statement ? margin_of(first.offset) : std::string();
    if (found.size() > outer_.size()) margin_ = found;
  }

  KernelContext context() const {
    KernelContext context;
    const bool is_cuda =
        blocks_.source->path().ends_with(".cu") || blocks_.source->path().ends_with(".cuh");
    context.dialect = is_cuda ? Dialect::cuda : Dialect::hip;
    context.taken = blocks_.names;
    const auto& parameters = blocks_.function->parameters;
    context.own_minimum = std::any_of(parameters.begin(), parameters.end(), [](const auto& one) {
      return one.name == "min" || one.name == "max";
    });
    context.remarks = order_remarks(independence_, assumptions_);
    context.columns = std::max(kColumns - std::min(kColumns, margin_.size()), kFewestColumns);
    return context;
  }

  std::string definitions(const PrintedParts& code) const {
    std::array<bool, 3> is_used{};
    for (const BlockUse& use : blocks_.uses) is_used[static_cast<std::size_t>(use.axis)] = true;
    std::string lines;
    for (std::size_t axis = 0; axis < code.results.size(); ++axis)
      if (is_used[axis])
        lines += fmt::format("const unsigned int {} = {};\n", code.names[axis], code.results[axis]);
    return lines;
  }

  /// The code with the kernel's margin, indentation and line ends.
  std::string fitted(const std::string& code) const {
    constexpr std::size_t kLevel = 4;
    const bool is_deeper = margin_.size() > outer_.size() && margin_.rfind(outer_, 0) == 0;
    const std::string level = is_deeper ? margin_.substr(outer_.size()) : "  ";
    std::string result;
    for (std::size_t at = 0; at < code.size();) {
      const std::string line = code.substr(at, code.find('\n', at) - at);
      at += line.size() + 1;
      const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      result += margin_;
      for (std::size_t i = 0; i < blanks / kLevel; ++i) result += level;
      result += line.substr(blanks) + ending_;
    }
    return result;
  }

  /// Reads the new text: but for the added code and the replaced uses, it is the old one.
  void check_text(const std::string& after) const {
    const CxxSource changed(blocks_.source->path(), after);
    const std::vector<Token>& others = changed.tokens();
    std::size_t replaced = 0;
    for (const BlockUse& use : blocks_.uses) replaced += use.end - use.begin;
    bool is_same = others.size() + replaced >= tokens_.size();
    const std::size_t added = is_same ? others.size() + replaced - tokens_.size() : 0;
    std::size_t other = 0;
    auto use = blocks_.uses.begin();
    for (std::size_t i = 0; i < tokens_.size() && is_same; ++i, ++other) {
      if (i == blocks_.function->body_begin + 1) other += added;
      std::string_view wanted = tokens_[i].text;
      if (use != blocks_.uses.end() && use->begin == i) {
        wanted = names_[static_cast<std::size_t>(use->axis)];
        i = use->end;
        ++use;
      }
      is_same = other < others.size() && others[other].text == wanted;
    }
    if (!is_same || other != others.size())
      throw Error("the kernel cannot be rewritten without changing something else",
                  "write each blockIdx on one line, outside of texts")
          .at(blocks_.source->path(), tokens_[blocks_.uses.front().begin].position);
  }

  const CxxBlocks& blocks_;
  const proof::ProvenOrder& proven_;
  const Independence& independence_;
  const std::vector<std::string>& assumptions_;
  const std::string& text_;
  const std::vector<Token>& tokens_;
  std::size_t place_ = 0;       ///< where the code goes
  bool on_brace_line_ = false;  ///< the body goes on in the line of its brace
  std::string outer_;           ///< blanks in front of the kernel
  std::string margin_;          ///< blanks in front of its statements
  std::string ending_;
  std::vector<std::string> names_;
};

}  // namespace

void check_axes(const CxxBlocks& blocks, const order::Shape& shape) {
  if (shape.own_tiles || shape.launch_axes == blocks.axes) return;
  const auto last = std::find_if(blocks.uses.begin(), blocks.uses.end(),
                                 [&](const BlockUse& use) { return use.axis + 1 == blocks.axes; });
  throw Error(fmt::format("the kernel is launched on {}-D grids, the order is of {}-D grids",
                          blocks.axes, shape.launch_axes),
              fmt::format("give an order of {}-D grids", blocks.axes))
      .at(blocks.source->path(), blocks.source->tokens()[last->begin].position);
}

std::string rewrite_cxx(const CxxBlocks& blocks, const proof::ProvenOrder& proven,
                        const Independence& independence,
                        const std::vector<std::string>& assumptions) {
  return Rewriting(blocks, proven, independence, assumptions).run();
}

}  // namespace heddle::emit
