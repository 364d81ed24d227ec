// Source text -> a kernel on the device, by NVRTC or hiprtc.
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "driver.h"
#include "virtual_headers.h"
#include "words.h"

namespace heddle::agent {
namespace {

/// The end of what a compiler says can be megabytes of templates; its beginning says what is wrong.
constexpr std::size_t kMostLog = 1500;

/// A program of the compiler, which is given back however compiling ends.
class Compilation {
 public:
  Compilation(const CompilerFunctions& functions, const KernelSource& source)
      : functions_(functions) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const VirtualHeader& header : kVirtualHeaders) {
      texts.push_back(header.text);
      names.push_back(header.name);
    }
    check(functions_.create(&program_, source.text.c_str(), source.name.c_str(),
                            static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Compilation() {
    if (program_ != nullptr) functions_.destroy(&program_);
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  void* program() const { return program_; }

  void check(int result) const {
    if (result == 0) return;
    std::size_t size = 0;
    std::string log;
    if (program_ != nullptr && functions_.log_size(program_, &size) == 0 && size > 1 &&
        size < std::size_t{256} << 20) {
      log.resize(size);
      if (functions_.log(program_, log.data()) != 0) log.clear();
      while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    }
    const char* const words = functions_.error_words(result);
    throw CompileError(log.empty() ? printable(words != nullptr ? words : "it does not compile")
                                   : printable(log, kMostLog));
  }

 private:
  const CompilerFunctions& functions_;
  void* program_ = nullptr;
};

}  // namespace

std::vector<std::string> Driver::options(const KernelSource& source) const {
  std::vector<std::string> options = {"-std=c++17"};
  if (language_ == Language::cuda) {
    options.push_back("--gpu-architecture=sm_" + std::to_string(major_) + std::to_string(minor_));
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& root :
         {std::string(home != nullptr ? home : ""), std::string("/usr/local/cuda")}) {
      const std::string folder = root + "/include";
      if (root.empty() || access((folder + "/cuda_fp16.h").c_str(), R_OK) != 0) continue;
      options.push_back("-I" + folder);
      if (access((folder + "/cccl").c_str(), R_OK) == 0) options.push_back("-I" + folder + "/cccl");
      break;
    }
  }
  if (!source.folder.empty()) options.push_back("-I" + source.folder);
  for (const std::string& define : source.defines) options.push_back("-D" + define);
  return options;
}

Kernel Driver::compile(const KernelSource& source) {
  const Compilation compilation(compiler_, source);
  void* const program = compilation.program();
  compilation.check(compiler_.add_name(program, source.function.c_str()));
  const std::vector<std::string> texts = options(source);
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  compilation.check(compiler_.compile(program, static_cast<int>(list.size()), list.data()));
  const char* name = nullptr;
  compilation.check(compiler_.lowered_name(program, source.function.c_str(), &name));
  std::size_t size = 0;
  compilation.check(compiler_.code_size(program, &size));
  if (size == 0) throw CompileError("the compiler gave no code for this GPU");
  std::vector<char> code(size);
  compilation.check(compiler_.code(program, code.data()));
  return load(code, name);
}

Kernel Driver::load(const std::vector<char>& code, const char* name) {
  void* module = nullptr;
  Kernel kernel;
  if (const int result = driver_.module_load(&module, code.data()))
    throw CompileError("loading it: " + error_text(result));
  if (const int result = driver_.module_function(&kernel.function, module, name))
    throw CompileError("finding " + printable(name, 200) + " in it: " + error_text(result));
  return kernel;
}

}  // namespace heddle::agent
