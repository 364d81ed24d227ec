// A HIP or CUDA C++ source file: its tokens, its kernels, and its text without host code.
//
//   CxxSource source("yax.hip");
//   source.kernel("")                 // the only __global__ function
//   source.kernel("gemm<16, float>")  // the template gemm
//   source.kernel("scale(float*, int)")  // of several with that name; "fill<4>(float*)"
//   source.device_text()              // main() and everything else for the host is blank
//
// Rules
//   1. The file is read as text: comments, strings, raw strings, line splices and directives are
//      known, macros are not expanded, and nothing is looked up in other files.
//   2. A kernel is a function with __global__ and a body, at namespace scope; also behind
//      `template`, `extern "C"`, `static`, `inline` and __launch_bounds__. The name of a
//      specialisation is with its arguments: "gemm<16>". So are static members of classes at
//      namespace scope, with the scope "v1<>::" where the class is a template, and kernels that a
//      macro of the file makes where it stands by itself or in front of a body.
//   3. device_text keeps every line and column of what it keeps, so that places stay true. It
//      blanks functions that are neither __global__ nor __device__ nor constexpr (bodies and
//      heads), and namespace-scope variables that are neither __device__, __constant__,
//      __shared__, const nor constexpr. Members of classes that are for the host alone become
//      declarations. Whatever holds <<< outside a device function goes. Types, using,
//      templates of device functions, macros and includes stay, and so do #if and #define
//      within what is blank. TextCuts names more that goes.
//   4. In device_text, `extern __shared__ T name[];` is __extern_shared__ T name[]
//   HEDDLE_DYNAMIC_NAME,
//      and `static` in front of __shared__ is blank: the device header makes shared variables
//      static.
//   5. A file that cannot be understood (an open brace, string or comment) is an Error with a
//      place. Size is bounded.
//   6. Of #if and #else, both are read where each is complete, else the first (branches.h).
//
// Does not model: kernels of macros that other macros or other files define, digraphs, templates that
// are members of templates.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"

namespace heddle::kernel::cxx {

enum class TokenKind { name, number, text, symbol, directive };

/// `text` is a view into CxxSource::text(). A directive is its whole line, with continued ones.
struct Token {
  TokenKind kind = TokenKind::symbol;
  std::string_view text;
  std::size_t offset = 0;
  Position position;
};

struct CxxParameter {
  std::string name;  ///< empty where it has none
  std::string type;  ///< as written, without the default: "const float* __restrict__"
};

/// Indices are into CxxSource::tokens().
struct CxxFunction {
  std::string name;   ///< "gemm"
  std::string scope;  ///< "kernels::" for a function in namespace kernels; empty at the top
  std::vector<std::string> template_parameters;  ///< "int TILE", "typename T"
  std::vector<CxxParameter> parameters;
  std::size_t begin = 0;           ///< its first token, `template` included
  std::size_t body_begin = 0;      ///< the brace that opens its body
  std::size_t body_end = 0;        ///< the brace that closes it
  Position position;               ///< of its name
  bool is_specialisation = false;  ///< `template <>`
  bool is_overloaded = false;      ///< the file has another kernel of that name for other types
};

/// "(const float*, int)"
std::string signature_of(const CxxFunction& function);

/// "gemm<16>" of "gemm<16>(const float*, int)"
std::string without_signature(const std::string& function);

/// First and last token.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What else a file's text is to lose, and the includes that change.
struct TextCuts {
  std::vector<TokenRange> all;                                  ///< blank
  std::vector<TokenRange> bodies;                               ///< a ; in their place
  std::vector<std::pair<std::size_t, std::string>> directives;  ///< by token: its new text
  std::vector<std::pair<std::size_t, std::string>> inserted;    ///< behind a token
};

struct Outline;
struct OutlineItem;

class CxxSource {
 public:
  explicit CxxSource(const std::string& path);
  CxxSource(std::string path, std::string text);
  CxxSource(const CxxSource&) = delete;
  CxxSource& operator=(const CxxSource&) = delete;

  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::vector<CxxFunction>& kernels() const { return kernels_; }
  /// CUDA: .cu and .cuh that include nothing of HIP's outside #if.
  bool is_cuda() const;
  /// One of HIP's headers, outside #if.
  bool includes_hip() const;
  /// The #include directives outside #if, but for the #ifndef around a header.
  std::vector<std::size_t> plain_includes() const;
  /// By name, with or without scope, template arguments and types of parameters; "" is the only one.
  /// Throws Error that lists what there is.
  const CxxFunction& kernel(const std::string& function) const;
  /// All that a name may mean, in the order of the file; those of one signature are one, and so are a
  /// template and its specialisations.
  std::vector<const CxxFunction*> kernels_named(const std::string& function) const;
  /// `defines` are directives of other files (outline.h).
  std::string device_text(const TextCuts& cuts = {}, const std::vector<Token>& defines = {}) const;

 private:
  bool add_made_kernels(const Outline& outline, const OutlineItem& item,
                        const std::map<std::string_view, std::size_t>& makers, std::size_t& room);
  void find_overloads();

  std::string path_;
  std::string text_;
  std::vector<Token> tokens_;
  std::vector<CxxFunction> kernels_;
};

/// What a call `NAME(arguments)` of a macro at `at` becomes; `definition` is what follows #define.
/// Macros in its text stay. Empty where it is no call, or grows beyond reason.
std::string expanded_call(const std::vector<Token>& tokens, const Outline& outline, std::size_t at,
                          std::string_view definition);

/// By its ending: .hip .cu .cuh .cpp .cc .cxx .h .hpp
bool is_cxx_path(const std::string& path);

}  // namespace heddle::kernel::cxx
