// A C++ kernel as Clang understands it: the text with every macro and header expanded, and the
// syntax trees of the declarations that the user wrote.
//
//   const CxxTree tree(program);
//   tree.tokens()             every token that the compiler sees, with its file and line
//   tree.kernel()             the FunctionDecl of the launch, instantiated
//   tree.declaration(node.refers)
//
// Rules
//   1. Both come from the text, headers and macros that compile.cpp compiles, so that a splice, a
//      macro or an overload means here what it means there.
//   2. Node kinds are Clang's. `text` holds every other attribute of a node but ids and places, so
//      that nodes with equal kind, type, text and children are equal, apart from references.
//   3. Trees are those of the user's files. References into Clang's and heddle's headers have a name, a
//      kind and a type, and no declaration. Tokens up to user_begin() come from such headers alone.
//   4. Sizes and depth are bounded; beyond them, and where Clang refuses the text, it is an Error.
//
// Does not model: operands of inline assembly, and other details that Clang's JSON leaves out.
// Compare the tokens as well.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/source.h"
#include "kernel/native.h"

namespace heddle::kernel::cxx {

struct CxxNode {
  std::string kind;  ///< "BinaryOperator"; empty where a statement has no such part
  std::string type;  ///< without typedefs: "const unsigned int"
  std::string name;
  std::string text;   ///< "init=c valueCategory=lvalue"
  std::string value;  ///< of a literal
  std::string opcode;
  std::string cast;  ///< castKind
  std::uint64_t id = 0;
  std::uint64_t refers = 0;  ///< to a declaration
  std::string refers_to;     ///< its kind, name and type
  std::size_t begin = 0;     ///< offsets in the expanded text; both 0: nowhere
  std::size_t end = 0;       ///< just behind
  std::size_t place = 0;     ///< of a declaration: its name
  std::vector<CxxNode> children;

  bool is(std::string_view one) const { return kind == one; }
  bool is_declaration() const { return kind.size() > 4 && kind.ends_with("Decl"); }
};

class CxxTree {
 public:
  /// Of a compiled C++ kernel.
  explicit CxxTree(const KernelProgram& program);
  CxxTree(const CxxTree&) = delete;
  CxxTree& operator=(const CxxTree&) = delete;

  const std::string& text() const { return text_; }
  /// Lines are those of the token's file. Pragmas are directives.
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::string& file(std::size_t token) const;
  /// The token comes from a header that is not the user's.
  bool is_of_system(std::size_t token) const;
  std::size_t user_begin() const { return user_begin_; }
  std::size_t user_end() const { return user_end_; }
  /// Files of the user that the compiler read, but for the kernel's own, in order.
  const std::vector<std::string>& user_headers() const { return user_headers_; }

  /// The first token at an offset or behind it.
  std::size_t token_at(std::size_t offset) const;
  /// A node's tokens: the first, and the one behind the last.
  std::size_t first_token(const CxxNode& node) const { return token_at(node.begin); }
  std::size_t last_token(const CxxNode& node) const { return token_at(node.end); }
  int line(const CxxNode& node) const;

  const std::vector<CxxNode>& declarations() const { return root_.children; }
  /// Null: not of the user.
  const CxxNode* declaration(std::uint64_t id) const;
  const CxxNode& kernel() const { return *kernel_; }

 private:
  void read_tokens();
  void read_trees(const NativeCode& native);
  void index(const CxxNode& node);
  void find_kernel(const NativeCode& native);

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<int> file_of_;  ///< per token
  std::vector<std::string> files_;
  std::vector<std::string> user_headers_;
  std::size_t user_begin_ = 0;
  std::size_t user_end_ = 0;
  CxxNode root_;
  std::map<std::uint64_t, const CxxNode*> declared_;
  const CxxNode* kernel_ = nullptr;
};

/// The tree of a kernel; the last few are kept, since a kernel is often compiled again for other
/// sizes with the same text, headers and macros.
std::shared_ptr<const CxxTree> tree_of(const KernelProgram& program);

}  // namespace heddle::kernel::cxx
