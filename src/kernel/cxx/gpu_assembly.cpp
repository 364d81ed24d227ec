#include "kernel/cxx/gpu_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernel/cxx/gpu_instructions.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostOperands = 160;

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Walks over C++ text: white space, comments, strings.
class Walker {
 public:
  Walker(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  bool is_end() const { return at_ >= text_.size(); }
  char here() const { return is_end() ? '\0' : text_[at_]; }
  void step() { ++at_; }

  /// Past white space, continued lines and comments.
  void skip_blanks() {
    while (!is_end()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' ||
          (c == '\\' && at_ + 1 < text_.size() &&
           (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')))
        ++at_;
      else if (!skip_comment())
        return;
    }
  }
  bool skip_comment() {
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (text_.substr(at_, 2) != "/*") return false;
    at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
    return true;
  }
  /// Past a string or a character; `into` gets what it says.
  bool take_quoted(std::string* into) {
    const char quote = here();
    if (quote != '"' && quote != '\'') return false;
    for (++at_; !is_end() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        c = text_[++at_];
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
      if (into != nullptr) *into += c;
    }
    if (here() != quote) return false;
    ++at_;
    return true;
  }
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (!is_end() && is_word_part(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool take(char c) {
    if (here() != c) return false;
    ++at_;
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// An expression in brackets, on one line, without comments; nothing where it does not close.
std::optional<std::string> bracketed(Walker& walker, std::string_view text) {
  if (!walker.take('(')) return std::nullopt;
  std::string expression;
  for (int depth = 1; !walker.is_end();) {
    const std::size_t before = walker.at();
    walker.skip_blanks();
    if (walker.at() > before) {
      expression += ' ';
      continue;
    }
    const char c = walker.here();
    if (c == '"' || c == '\'') {
      if (!walker.take_quoted(nullptr)) return std::nullopt;
      expression += text.substr(before, walker.at() - before);
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) {
      walker.step();
      return expression;
    }
    expression += c;
    walker.step();
  }
  return std::nullopt;
}

/// `: [name] "=r"(x), ... : ... : "memory")`, behind the strings.
bool take_operands(Walker& walker, std::string_view text, AssemblyStatement& statement) {
  for (int section = 0;; ++section) {
    walker.skip_blanks();
    if (walker.take(')')) return true;
    if (!walker.take(':') || section > 3) return false;
    while (true) {
      walker.skip_blanks();
      const char c = walker.here();
      if (c == ':' || c == ')') break;
      AssemblyOperand operand;
      if (walker.take('[')) {
        walker.skip_blanks();
        operand.name = walker.take_word();
        walker.skip_blanks();
        if (!walker.take(']')) return false;
        walker.skip_blanks();
      }
      std::string constraint;
      if (!walker.take_quoted(&constraint)) return false;
      walker.skip_blanks();
      if (walker.here() == '(') {
        auto expression = bracketed(walker, text);
        if (!expression || section > 1 || statement.operands.size() >= kMostOperands) return false;
        operand.expression = std::move(*expression);
        operand.is_output = section == 0;
        statement.operands.push_back(std::move(operand));
      }
      walker.skip_blanks();
      if (!walker.take(',')) break;
    }
  }
}

/// The statement whose word `asm` ends at the walker.
std::optional<AssemblyStatement> read_statement(Walker& walker, std::string_view text) {
  for (walker.skip_blanks(); is_word_part(walker.here()); walker.skip_blanks()) {
    const std::string_view word = walker.take_word();
    if (word != "volatile" && word != "__volatile__" && word != "inline") return std::nullopt;
  }
  if (!walker.take('(')) return std::nullopt;
  AssemblyStatement statement;
  walker.skip_blanks();
  if (walker.here() != '"') return std::nullopt;
  while (walker.here() == '"') {
    if (!walker.take_quoted(&statement.text)) return std::nullopt;
    walker.skip_blanks();
  }
  if (!take_operands(walker, text, statement)) return std::nullopt;
  return statement;
}

/// What stands for a statement, on one line; empty where it stays as it is.
std::string replacement_of(const AssemblyStatement& statement) {
  // No statement but the label of a declaration: "llvm.amdgcn.raw.buffer.load.i32".
  constexpr std::string_view kLabel = "llvm.";
  if (const std::string_view text = statement.text;
      statement.operands.empty() && text.substr(0, kLabel.size()) == kLabel)
    return std::all_of(text.begin(), text.end(), [](char c) { return is_word_part(c) || c == '.'; })
               ? fmt::format("HEDDLE_LLVM(\"{}\")", text.substr(kLabel.size()))
               : std::string();
  const GpuCode code = gpu_code(statement);
  if (!code.unknown.empty()) return fmt::format("asm volatile(\"{}\")", code.unknown);
  if (!code.is_gpus) return {};
  std::string out = "do {";
  for (const bool outputs : {false, true})
    for (std::size_t k = 0; k < statement.operands.size(); ++k)
      if (const AssemblyOperand& one = statement.operands[k]; one.is_output == outputs)
        out += fmt::format(" {} heddle_{} = ({});", outputs ? "auto&" : "const auto", k,
                           one.expression);
  return out + code.text + " } while (0)";
}

}  // namespace

std::vector<std::string> headers_for(std::string_view text) {
  std::vector<std::string> headers;
  constexpr const char* kTextures = "heddle/textures.h";
  constexpr const char* kBuffers = "heddle/buffers.h";
  for (const auto& [mark, header] :
       {std::pair{"::heddle_ptx::", "heddle/ptx.h"},
        std::pair{"builtin_amdgcn_mfma_", "heddle/mfma.h"}, std::pair{"tex1D", kTextures},
        std::pair{"tex2D", kTextures}, std::pair{"tex3D", kTextures},
        std::pair{"texCubemap", kTextures}, std::pair{"surf1D", kTextures},
        std::pair{"surf2D", kTextures}, std::pair{"surf3D", kTextures},
        std::pair{"HEDDLE_LLVM(", kBuffers}, std::pair{"_amdgcn_raw_", kBuffers},
        std::pair{"amdgpu_buffer_rsrc", kBuffers}})
    if (text.find(mark) != std::string_view::npos &&
        std::find(headers.begin(), headers.end(), header) == headers.end())
      headers.emplace_back(header);
  return headers;
}

std::string without_gpu_assembly(std::string_view text) {
  std::string out;
  std::size_t kept = 0;
  bool in_directive = false;
  bool line_is_new = true;
  for (Walker walker(text, 0); !walker.is_end();) {
    const std::size_t begin = walker.at();
    const char c = walker.here();
    if (c == '\n') {
      in_directive = in_directive && begin > 0 &&
                     (text[begin - 1] == '\\' ||
                      (begin > 1 && text[begin - 1] == '\r' && text[begin - 2] == '\\'));
      line_is_new = true;
      walker.step();
      continue;
    }
    if (c == '#' && line_is_new) in_directive = true;
    if (c != ' ' && c != '\t') line_is_new = false;
    if (walker.skip_comment()) continue;
    if (c == '"' || c == '\'') {
      // A lone quote is a separator of digits, or the start of a raw string: past it.
      if (Walker ahead = walker; ahead.take_quoted(nullptr))
        walker = ahead;
      else
        walker.step();
      continue;
    }
    if (!is_word_part(c)) {
      walker.step();
      continue;
    }
    const std::string_view word = walker.take_word();
    if (word != "asm" && word != "__asm__" && word != "__asm") continue;
    Walker ahead = walker;
    const auto statement = read_statement(ahead, text);
    const std::string code = statement ? replacement_of(*statement) : std::string();
    if (code.empty()) continue;
    out.append(text, kept, begin - kept);
    out += code;
    const std::string_view gone = text.substr(begin, ahead.at() - begin);
    for (auto lines = std::count(gone.begin(), gone.end(), '\n'); lines > 0; --lines)
      out += in_directive ? "\\\n" : "\n";
    kept = ahead.at();
    walker = ahead;
  }
  return out.append(text, kept);
}

}  // namespace heddle::kernel::cxx
