#include "kernel/cxx/conditions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/cxx/token.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// Libraries by how their headers begin, and how their macros do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 63> kLibraries = {{
    {"cublas", "CUBLAS"},
    {"cudnn", "CUDNN"},
    {"cufft", "CUFFT"},
    {"curand", "CURAND"},
    {"cusparse", "CUSPARSE"},
    {"cusolver", "CUSOLVER"},
    {"cutensor", "CUTENSOR"},
    {"cupti", "CUPTI"},
    {"nccl", "NCCL"},
    {"rccl", "RCCL"},
    {"nvToolsExt", "NVTX"},
    {"nvtx3/", "NVTX"},
    {"nvml", "NVML"},
    {"nvrtc", "NVRTC"},
    {"nvshmem", "NVSHMEM"},
    {"cuda_profiler_api", "CUDA_PROFILER"},
    {"cudaProfiler", "CUDA_PROFILER"},
    {"hipblas", "HIPBLAS"},
    {"rocblas", "ROCBLAS"},
    {"hipfft", "HIPFFT"},
    {"rocfft", "ROCFFT"},
    {"hiprand", "HIPRAND"},
    {"rocrand", "ROCRAND"},
    {"hipsparse", "HIPSPARSE"},
    {"rocsparse", "ROCSPARSE"},
    {"hipsolver", "HIPSOLVER"},
    {"miopen", "MIOPEN"},
    {"roctracer/", "ROCTX"},
    {"roctx", "ROCTX"},
    {"thrust/", "THRUST"},
    {"cub/", "CUB"},
    {"hipcub/", "HIPCUB"},
    {"rocprim/", "ROCPRIM"},
    {"rocthrust/", "THRUST"},
    {"mpi.h", "MPI"},
    {"omp.h", "OMP"},
    {"gtest/", "GTEST"},
    {"benchmark/", "BENCHMARK"},
    {"torch/", "TORCH"},
    {"ATen/", "AT"},
    {"c10/", "C10"},
    {"THC/", "TH"},
    {"glm/", "GLM"},
    {"Eigen/", "EIGEN"},
    {"boost/", "BOOST"},
    {"fmt/", "FMT"},
    {"spdlog/", "SPDLOG"},
    {"rmm/", "RMM"},
    {"raft/", "RAFT"},
    {"pybind11/", "PYBIND11"},
    {"windows.h", "WIN"},
    {"opencv2/", "CV"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTE"},
    {"rocwmma/", "ROCWMMA"},
    {"cooperative_groups/", "CG"},
    {"mma.h", "CUDA"},
    {"cuda", "CUDA"},
    {"hip/", "HIP"},
    {"nv/", "NV"},
    {"sm_", "CUDA"},
    {"texture_", "CUDA"},
    {"surface_", "CUDA"},
}};

/// Those that more headers, or every one, may define.
bool is_compilers(std::string_view name) {
  return name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z') ||
         name == "NDEBUG" || name == "WIN32" || name == "linux" || name == "unix";
}

/// "__has_include(<a.h>) && N" -> <a.h>, and N is a word.
void read_condition(std::string_view text, std::set<std::string>& words,
                    std::set<std::string>& headers) {
  constexpr std::string_view kHasInclude = "__has_include";
  std::string rest;
  std::size_t at = 0;
  for (std::size_t found = text.find(kHasInclude); found != std::string_view::npos;
       found = text.find(kHasInclude, at)) {
    rest += text.substr(at, found - at);
    const std::size_t open = text.find('(', found);
    const std::size_t close = std::min(text.find(')', found), text.size());
    if (open != std::string_view::npos && open < close)
      headers.emplace(trim(text.substr(open + 1, close - open - 1)));
    at = std::min(close + 1, text.size());
  }
  rest += text.substr(at);
  try {
    for (const Token& token : tokenize(rest, ""))
      if (is_name(token)) words.emplace(token.text);
  } catch (const Error&) {
    return;  // Clang's to refuse
  }
}

struct Condition {
  std::set<std::string> words;
  std::set<std::string> headers;
  bool holds_code = false;
  std::vector<std::string> defines;
};

/// The conditions of one text, inner ones before outer ones.
class Reader {
 public:
  void read(const std::string& text) {
    for (const Token& token : tokenize(text, "")) {
      if (token.kind == TokenKind::directive) {
        directive(token);
      } else {
        if (!open_.empty()) open_.back().holds_code = true;
        if (is_name(token)) named.emplace(token.text);
      }
    }
    while (!open_.empty()) close();
  }

  std::vector<Condition> conditions;
  std::set<std::string> defined;
  std::set<std::string> named;  ///< in code, macros and conditions

 private:
  void directive(const Token& token) {
    const std::string_view kind = directive_name(token);
    const std::string_view rest = directive_rest(token);
    if (kind.starts_with("if")) open_.emplace_back();
    if (kind.starts_with("if") || kind.starts_with("elif")) {
      if (open_.empty()) return;
      read_condition(rest, open_.back().words, open_.back().headers);
    } else if (kind == "endif" && !open_.empty()) {
      close();
    } else if (kind == "define" || kind == "undef") {
      const std::string name(rest.substr(0, rest.find_first_of(" \t(")));
      if (kind == "define") defined.insert(name);
      if (!open_.empty()) open_.back().defines.push_back(name);
      std::set<std::string> none;
      read_condition(rest.substr(name.size()), named, none);
    } else if (kind == "include" && !open_.empty()) {
      open_.back().holds_code = true;
    } else if (kind == "pragma" && rest.starts_with("pack") && !open_.empty()) {
      open_.back().holds_code = true;
    }
  }

  void close() {
    Condition done = std::move(open_.back());
    open_.pop_back();
    named.insert(done.words.begin(), done.words.end());
    if (!open_.empty()) {
      open_.back().holds_code = open_.back().holds_code || done.holds_code;
      for (const std::string& name : done.defines) open_.back().defines.push_back(name);
    }
    conditions.push_back(std::move(done));
  }

  std::vector<Condition> open_;
};

}  // namespace

Conditions::Conditions(const std::vector<std::string>& texts) {
  Reader reader;
  for (const std::string& text : texts) {
    try {
      reader.read(text);
    } catch (const Error&) {
      continue;  // Clang's to refuse
    }
  }
  for (const Condition& one : reader.conditions) {
    const bool counts = one.holds_code ||
                        std::any_of(one.defines.begin(), one.defines.end(), [&](const auto& name) {
                          return reader.named.count(name) != 0;
                        });
    if (!counts) continue;
    headers_.insert(one.headers.begin(), one.headers.end());
    for (const std::string& word : one.words)
      if (reader.defined.count(word) == 0 && !is_compilers(word) && word != "defined")
        macros_.insert(word);
  }
}

bool is_library(const std::string& header) {
  constexpr std::array<std::string_view, 18> kRests = {
      "",   "_v2", "_api", "_cuda", "_kernel", "_common", "Lt", "Xt", "XtExt",
      "Dn", "Sp",  "Mg",   "Rf",    "Ext",     "Cuda",    "lt", "x",  "Rt"};
  constexpr std::array<std::string_view, 5> kWide = {"cuda", "sm_", "texture_", "surface_", "hip/"};
  const std::string_view stem = std::string_view(header).substr(0, header.rfind('.'));
  for (const auto& [begin, macros] : kLibraries) {
    if (!header.starts_with(begin) || is_one_of(begin, kWide)) continue;
    if (begin.ends_with('/') || header == begin) return true;
    if (is_one_of(stem.substr(std::min(begin.size(), stem.size())), kRests)) return true;
  }
  return false;
}

bool may_define(const std::string& header, const std::string& macro) {
  for (const auto& [begin, macros] : kLibraries)
    if (header.starts_with(begin)) return macro.starts_with(macros);
  return true;
}

}  // namespace heddle::kernel::cxx
