#include "audit/cxx_statements.h"

#include <algorithm>

#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::cxx::CxxFunction;
using kernel::cxx::CxxSource;
using kernel::cxx::OutlineItem;
using kernel::cxx::Token;
using kernel::cxx::TokenKind;
using kernel::cxx::TokenRange;

constexpr int kMostPasses = 100;  ///< over the statements, until nothing changes any more

const std::set<std::string_view> kTypeWords = {
    "const",    "constexpr", "int",    "unsigned", "signed",     "long",
    "short",    "auto",      "bool",   "int32_t",  "uint32_t",   "int64_t",
    "uint64_t", "uint",      "size_t", "std",      "static_cast"};
const std::set<std::string_view> kCodeWords = {"if",   "else",  "for", "while",
                                               "true", "false", "min", "max"};
const std::set<std::string_view> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
const std::set<std::string_view> kNoArithmetic = {"[",   "]",   "->", ".",  ".*", "->*",
                                                  "<<<", ">>>", "##", "\\", "@",  "~"};

bool is_type_word(const Token& token) {
  return is_name(token) && kTypeWords.count(token.text) != 0 && token.text != "static_cast";
}
bool is_integer(const std::string& written) {
  const auto type = kernel::cxx::value_type(written);
  return type.pointers == 0 && type.elements == 1 && type.element &&
         config::is_integer(*type.element) && written.find('&') == std::string::npos;
}

/// `T a`, `T a = 1, b`: the names that are declared, and `a = 1`, `++a`: those that are assigned.
void find_writes(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
                 std::set<std::string>& writes) {
  bool declares = false;
  int depth = 0;
  for (std::size_t i = begin; i <= end; ++i) {
    const Token& token = tokens[i];
    if (is_symbol(token, "(") || is_symbol(token, "{")) ++depth;
    if (is_symbol(token, ")") || is_symbol(token, "}")) --depth;
    const bool begins = i == begin || is_symbol(tokens[i - 1], ";") ||
                        is_symbol(tokens[i - 1], "{") || is_symbol(tokens[i - 1], "}") ||
                        is_symbol(tokens[i - 1], "(") || is_symbol(tokens[i - 1], ")");
    if (begins) declares = is_type_word(token);
    if (!is_name(token) || is_type_word(token)) continue;
    const bool after_type = i > begin && is_type_word(tokens[i - 1]);
    const bool after_comma = declares && i > begin && is_symbol(tokens[i - 1], ",") && i < end &&
                             (kAssignments.count(tokens[i + 1].text) != 0 ||
                              is_symbol(tokens[i + 1], ",") || is_symbol(tokens[i + 1], ";"));
    const bool is_assigned = i < end && kAssignments.count(tokens[i + 1].text) != 0 &&
                             tokens[i + 1].kind == TokenKind::symbol;
    const auto counts = [](const Token& one) { return one.text == "++" || one.text == "--"; };
    const bool is_counted =
        (i > begin && counts(tokens[i - 1])) || (i < end && counts(tokens[i + 1]));
    if (after_type || after_comma || is_assigned || is_counted) writes.emplace(token.text);
  }
}

}  // namespace

std::string number_name(const std::vector<Token>& tokens, TokenRange piece) {
  if (tokens[piece.begin].kind == TokenKind::directive) {
    if (kernel::cxx::directive_name(tokens[piece.begin]) != "define") return {};
    const std::string rest(kernel::cxx::directive_rest(tokens[piece.begin]));
    const std::size_t space = rest.find_first_of(" \t");
    const bool is_number = space != std::string::npos && parse_integer(trim(rest.substr(space)));
    return is_number ? rest.substr(0, space) : std::string();
  }
  std::size_t i = piece.begin;
  bool is_fixed = false;
  while (i < piece.end && (is_type_word(tokens[i]) || tokens[i].text == "static")) {
    if (tokens[i].text == "auto" || tokens[i].text == "bool" || tokens[i].text == "std") return {};
    is_fixed = is_fixed || tokens[i].text == "constexpr" || tokens[i].text == "const";
    ++i;
  }
  const bool fits = is_fixed && i > piece.begin && i + 3 == piece.end && is_name(tokens[i]) &&
                    tokens[i + 1].text == "=" && tokens[i + 2].kind == TokenKind::number &&
                    parse_integer(tokens[i + 2].text);
  return fits ? std::string(tokens[i].text) : std::string();
}

std::vector<TokenRange> cut_statements(const std::vector<Token>& tokens, std::size_t begin,
                                       std::size_t end) {
  std::vector<TokenRange> pieces;
  std::size_t first = begin;
  int depth = 0;
  const auto finish = [&](std::size_t last) {
    pieces.push_back({first, last});
    first = last + 1;
    depth = 0;
  };
  for (std::size_t i = begin; i <= end && i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == TokenKind::directive && depth == 0) {
      if (first < i) finish(i - 1);
      finish(i);
      continue;
    }
    if (is_symbol(token, "(") || is_symbol(token, "[") || is_symbol(token, "{")) ++depth;
    const bool is_scope =
        is_symbol(token, "{") && depth == 1 &&
        (tokens[first].text == "namespace" ||
         (tokens[first].text == "extern" && i == first + 2 && tokens[i - 1].text == "\"C\""));
    if (is_scope) finish(i);
    const bool closes = is_symbol(token, ")") || is_symbol(token, "]") || is_symbol(token, "}");
    if (closes) --depth;
    if (depth < 0) {
      finish(i);  // the end of a namespace
      continue;
    }
    const std::string_view next = i < end ? tokens[i + 1].text : std::string_view();
    const bool ends_block = is_symbol(token, "}") && depth == 0 && next != ";" && next != "," &&
                            next != ")" && next != "else" && next != "while";
    const bool ends_line = is_symbol(token, ";") && depth == 0 && next != "else";
    if (first <= i && (ends_block || ends_line)) finish(i);
  }
  if (first <= end && first < tokens.size()) finish(std::min(end, tokens.size() - 1));
  return pieces;
}

std::string tokens_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i <= end && i < tokens.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

CxxStatements::CxxStatements(const CxxSource& source, const CxxFunction& function,
                             const std::set<std::string>& numbers)
    : source_(source),
      function_(function),
      tokens_(source.tokens()),
      outline_(kernel::cxx::outline_of(source.tokens(), source.path())) {
  parameters_ = numbers;
  for (const Token& token : tokens_) {
    if (token.kind != TokenKind::directive || kernel::cxx::directive_name(token) != "define")
      continue;
    const std::string_view rest = kernel::cxx::directive_rest(token);
    const std::size_t space = rest.find_first_of(" \t");
    if (space != std::string_view::npos && parse_integer(trim(rest.substr(space))))
      parameters_.emplace(rest.substr(0, space));
  }
  if (function.begin > 0)
    for (const TokenRange& piece : cut_statements(tokens_, 0, function.begin - 1)) {
      if (tokens_[piece.begin].kind == TokenKind::directive) continue;
      const std::string name = number_name(tokens_, piece);
      if (name.empty()) continue;
      parameters_.insert(name);
      constants_ += tokens_text(tokens_, piece.begin, piece.end) + "\n";
    }
  for (const auto& parameter : function.parameters) {
    if (!is_integer(parameter.type)) continue;
    parameters_.insert(parameter.name);
    passed_[parameter.name] = parameter.type;
  }
  for (const std::string& parameter : function.template_parameters) {
    const std::size_t space = parameter.find_last_of(' ');
    if (space != std::string::npos && is_integer(parameter.substr(0, space)))
      parameters_.insert(parameter.substr(space + 1));
  }
  split();
  find_names();
  find_helpers();
  find_index();
  find_from_block();
}

std::size_t CxxStatements::block_use(std::size_t token) const {
  if (token >= tokens_.size() || !is_name(tokens_[token])) return 0;
  const std::string_view text = tokens_[token].text;
  if (text == "hipBlockIdx_x" || text == "hipBlockIdx_y" || text == "hipBlockIdx_z") return 1;
  if (text != "blockIdx" || token + 2 >= tokens_.size() || tokens_[token + 1].text != ".") return 0;
  const std::string_view axis = tokens_[token + 2].text;
  return axis == "x" || axis == "y" || axis == "z" ? 3 : 0;
}

int CxxStatements::block_axis(std::size_t token) const {
  const std::size_t length = block_use(token);
  return length == 0 ? 0 : tokens_[token + length - 1].text.back() - 'x';
}

std::size_t CxxStatements::helper_call(std::size_t token) const {
  if (token + 1 >= tokens_.size() || !is_name(tokens_[token]) || !is_helper(tokens_[token].text) ||
      !is_symbol(tokens_[token + 1], "("))
    return 0;
  std::size_t end = token + 1;
  bool from_block = false;
  for (int depth = 0; end < tokens_.size(); ++end) {
    const auto known = names_.find(std::string(tokens_[end].text));
    from_block =
        from_block || block_use(end) > 0 || (known != names_.end() && known->second.from_block);
    if (is_symbol(tokens_[end], "(")) ++depth;
    if (is_symbol(tokens_[end], ")") && --depth == 0) break;
  }
  std::set<std::string> inputs = parameters_;
  for (const auto& [name, what] : names_) inputs.insert(name);
  const bool is_value = end < function_.body_end && is_index_code(token, end, inputs, false);
  return from_block && is_value ? end - token + 1 : 0;
}

std::size_t CxxStatements::bracket_value(std::size_t token) const {
  static const std::set<std::string_view> kOperators = {"+", "-", "*", "/", "%", "(", ")"};
  const auto is_number = [](std::string_view text) {
    return text.size() <= 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (token == 0 || !is_symbol(tokens_[token], "(") || is_name(tokens_[token - 1]) ||
      is_symbol(tokens_[token - 1], ")") || is_symbol(tokens_[token - 1], "]") ||
      is_symbol(tokens_[token - 1], ">"))
    return 0;
  bool from_block = false;
  int depth = 0;
  for (std::size_t i = token; i < function_.body_end; ++i) {
    const std::string_view text = tokens_[i].text;
    const bool is_grid = text == "gridDim" || text == "blockDim";
    const auto known = names_.find(std::string(text));
    const bool is_unsigned =
        known != names_.end() &&
        (known->second.type == "unsigned" || known->second.type == "const unsigned" ||
         known->second.type == "unsigned int" || known->second.type == "const unsigned int");
    if (const std::size_t length = block_use(i)) {
      from_block = true;
      i += length - 1;
    } else if (is_grid && i + 2 < function_.body_end && tokens_[i + 1].text == ".") {
      i += 2;
    } else if (is_name(tokens_[i]) && is_unsigned) {
      from_block = from_block || known->second.from_block;
    } else if (tokens_[i].kind == TokenKind::symbol && kOperators.count(text) != 0) {
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) return from_block ? i - token + 1 : 0;
    } else if (tokens_[i].kind != TokenKind::number || !is_number(text)) {
      return 0;
    }
  }
  return 0;
}

std::string CxxStatements::value_text(std::size_t begin, std::size_t end) const {
  std::string text;
  for (std::size_t i = begin; i <= end; ++i) {
    const std::string word(tokens_[i].text);
    if (word == "." || word == "::") {  // blockIdx.x is one word for the reader
      if (!text.empty() && text.back() == ' ') text.pop_back();
      text += word;
      continue;
    }
    const auto given = passed_.find(word);
    if (word == "blockDim" && i + 2 <= end) {
      text += "( ( unsigned ) heddle_threads_" + std::string(tokens_[i + 2].text) + " ) ";
      i += 2;
    } else if (given != passed_.end() && is_name(tokens_[i])) {
      text += "( ( " + given->second + " ) heddle_given_" + word + " ) ";
    } else {
      text += word + " ";
    }
  }
  return text + "\n";
}

std::string CxxStatements::index_text() const {
  std::string text;
  for (const Token& token : tokens_)
    if (token.kind == TokenKind::directive && kernel::cxx::directive_name(token) == "define")
      if (const std::string rest(kernel::cxx::directive_rest(token));
          parameters_.count(rest.substr(0, rest.find_first_of(" \t"))) != 0)
        text += "#define " + rest + "\n";
  text += constants_;
  for (const OutlineItem& item : outline_.items)
    if (item.name && item.body && is_helper(tokens_[item.name->begin].text))
      text += source_.text().substr(
                  tokens_[item.all.begin].offset,
                  tokens_[item.body->end].offset + 1 - tokens_[item.all.begin].offset) +
              "\n";
  for (const CxxStatement& statement : statements_)
    if (statement.is_index) text += value_text(statement.begin, statement.end);
  return text;
}

std::set<std::string> CxxStatements::hidden_uses() const {
  std::set<std::string> hidden;
  const auto shows = [&](const Token& token, std::size_t at) {
    return token.kind == TokenKind::name &&
           (block_use(at) > 0 || hidden.count(std::string(token.text)) != 0);
  };
  const auto macro_shows = [&](const std::string& body) {
    std::vector<Token> words;
    try {
      words = kernel::cxx::tokenize(body, "");
    } catch (const Error&) {
      return true;  // a lone quote: who knows
    }
    return std::any_of(words.begin(), words.end(), [&](const Token& token) {
      const std::string name(token.text);
      return token.kind == TokenKind::name && (name.find("lockIdx") != std::string::npos ||
                                               names_.count(name) != 0 || hidden.count(name) != 0);
    });
  };
  bool is_growing = true;
  for (int pass = 0; is_growing && pass < kMostPasses; ++pass) {
    is_growing = false;
    for (const Token& token : tokens_) {
      if (token.kind != TokenKind::directive || kernel::cxx::directive_name(token) != "define")
        continue;
      const std::string rest(kernel::cxx::directive_rest(token));
      const std::size_t end = rest.find_first_of(" \t(");
      if (end != std::string::npos && macro_shows(rest.substr(end)))
        is_growing = hidden.insert(rest.substr(0, end)).second || is_growing;
    }
    for (const OutlineItem& item : outline_.items) {
      if (!item.name || !item.body || item.is_kernel) continue;
      bool is_shown = false;
      for (std::size_t i = item.body->begin; i <= item.body->end; ++i)
        is_shown = is_shown || shows(tokens_[i], i);
      if (is_shown)
        is_growing =
            hidden.insert(std::string(tokens_[item.name->begin].text)).second || is_growing;
    }
  }
  return hidden;
}

void CxxStatements::split() {
  if (function_.body_begin + 1 >= function_.body_end) return;
  for (const TokenRange& piece :
       cut_statements(tokens_, function_.body_begin + 1, function_.body_end - 1)) {
    CxxStatement statement;
    statement.begin = piece.begin;
    statement.end = piece.end;
    find_writes(tokens_, piece.begin, piece.end, statement.writes);
    for (std::size_t i = piece.begin; i <= piece.end; ++i)
      if (is_name(tokens_[i])) statement.reads.emplace(tokens_[i].text);
    statements_.push_back(std::move(statement));
  }
}

/// Names that one declaration introduces; what is declared twice is looked at no further.
void CxxStatements::find_names() {
  std::set<std::string> twice;
  for (std::size_t s = 0; s < statements_.size(); ++s) {
    std::string type;
    for (std::size_t i = statements_[s].begin; i <= statements_[s].end; ++i) {
      const Token& token = tokens_[i];
      if (is_type_word(token)) {
        type += (type.empty() ? "" : " ") + std::string(token.text);
        continue;
      }
      const bool is_declared =
          i > statements_[s].begin && is_type_word(tokens_[i - 1]) && is_name(token);
      if (is_declared && parameters_.count(std::string(token.text)) != 0) twice.emplace(token.text);
      if (is_declared && !names_.emplace(token.text, CxxName{type, 0, false, s}).second)
        twice.emplace(token.text);
      // `int a = 1, b = 2`: b has the type of a.
      const bool is_next = i > statements_[s].begin && is_symbol(tokens_[i - 1], ",") &&
                           is_name(token) && statements_[s].writes.count(std::string(token.text)) &&
                           !type.empty() && names_.count(std::string(token.text)) == 0;
      if (is_next) names_.emplace(token.text, CxxName{type, 0, false, s});
      if (is_symbol(token, ";") || is_symbol(token, "(") || is_symbol(token, "{")) type.clear();
    }
  }
  for (const std::string& name : twice) names_.erase(name);
}

bool CxxStatements::is_index_code(std::size_t begin, std::size_t end,
                                  const std::set<std::string>& inputs, bool may_return) const {
  for (std::size_t i = begin; i <= end; ++i) {
    const Token& token = tokens_[i];
    if (token.kind == TokenKind::directive || token.kind == TokenKind::text) return false;
    if (const std::size_t length = block_use(i)) {
      i += length - 1;
      continue;
    }
    const bool is_grid = (token.text == "gridDim" || token.text == "blockDim") && i + 2 <= end &&
                         tokens_[i + 1].text == ".";
    if (is_grid) {
      i += 2;
      continue;
    }
    if (token.kind == TokenKind::symbol) {
      const bool is_address =
          token.text == "&" &&
          (i == begin || !(is_name(tokens_[i - 1]) || tokens_[i - 1].kind == TokenKind::number ||
                           is_symbol(tokens_[i - 1], ")")));
      if (kNoArithmetic.count(token.text) != 0 || is_address) return false;
      continue;
    }
    if (!is_name(token)) continue;
    const std::string name(token.text);
    const bool is_known = kTypeWords.count(token.text) != 0 || kCodeWords.count(token.text) != 0 ||
                          (may_return && name == "return") || inputs.count(name) != 0 ||
                          helpers_.count(name) != 0;
    if (!is_known) return false;
  }
  return true;
}

void CxxStatements::find_helpers() {
  bool is_growing = true;
  for (int pass = 0; is_growing && pass < kMostPasses; ++pass) {
    is_growing = false;
    for (const OutlineItem& item : outline_.items) {
      if (!item.is_device || !item.body || !item.name || item.is_kernel || item.is_member) continue;
      const std::string name(tokens_[item.name->begin].text);
      if (helpers_.count(name) != 0) continue;
      const CxxSource alone(
          "", "__global__ void f" +
                  tokens_text(tokens_, item.parameters->begin, item.parameters->end) + "{}");
      std::set<std::string> inputs;
      bool is_plain = alone.kernels().size() == 1;
      for (std::size_t i = 0; is_plain && i < alone.kernels().front().parameters.size(); ++i) {
        const auto& parameter = alone.kernels().front().parameters[i];
        is_plain = is_integer(parameter.type);
        inputs.insert(parameter.name);
      }
      find_writes(tokens_, item.body->begin + 1, item.body->end, inputs);
      if (!is_plain || !is_index_code(item.body->begin, item.body->end, inputs, true)) continue;
      std::string type;
      for (std::size_t i = item.all.begin; i < item.name->begin; ++i)
        if (is_type_word(tokens_[i]))
          type += (type.empty() ? "" : " ") + std::string(tokens_[i].text);
      helpers_.emplace(name, type);
      is_growing = true;
    }
  }
}

void CxxStatements::find_index() {
  bool is_shrinking = true;
  for (int pass = 0; is_shrinking; ++pass) {
    is_shrinking = false;
    if (pass == kMostPasses) names_.clear();  // nothing is known to be index code
    std::set<std::string> inputs = parameters_;
    for (const auto& [name, what] : names_) inputs.insert(name);
    for (CxxStatement& statement : statements_) {
      statement.is_index =
          !statement.writes.empty() &&
          std::all_of(statement.writes.begin(), statement.writes.end(),
                      [&](const std::string& name) { return names_.count(name) != 0; }) &&
          is_index_code(statement.begin, statement.end, inputs, false);
      if (statement.is_index) continue;
      for (const std::string& name : statement.writes) {
        is_shrinking = names_.erase(name) > 0 || is_shrinking;
        is_shrinking = parameters_.erase(name) > 0 || is_shrinking;
      }
      for (std::size_t i = statement.begin + 1; i <= statement.end; ++i) {
        const bool may_change = is_symbol(tokens_[i - 1], "&") && is_name(tokens_[i]);
        const bool is_binary =
            i >= statement.begin + 2 &&
            (is_name(tokens_[i - 2]) || tokens_[i - 2].kind == TokenKind::number ||
             is_symbol(tokens_[i - 2], ")") || is_symbol(tokens_[i - 2], "]"));
        if (may_change && !is_binary)
          is_shrinking = names_.erase(std::string(tokens_[i].text)) > 0 || is_shrinking;
      }
    }
  }
  for (const CxxStatement& statement : statements_)
    for (const std::string& name : statement.writes)
      if (names_.count(name) != 0) ++names_[name].writers;
}

void CxxStatements::find_from_block() {
  bool is_growing = true;
  for (int pass = 0; is_growing && pass < kMostPasses; ++pass) {
    is_growing = false;
    for (CxxStatement& statement : statements_) {
      if (!statement.is_index || statement.from_block) continue;
      for (std::size_t i = statement.begin; i <= statement.end; ++i) {
        const auto known = names_.find(std::string(tokens_[i].text));
        if (block_use(i) > 0 || (known != names_.end() && known->second.from_block))
          statement.from_block = true;
      }
      if (!statement.from_block) continue;
      is_growing = true;
      for (const std::string& name : statement.writes)
        if (names_.count(name) != 0) names_[name].from_block = true;
    }
  }
}

}  // namespace heddle::audit
