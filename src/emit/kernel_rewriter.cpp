#include "emit/kernel_rewriter.h"

#include "emit/rewrite_cxx.h"

namespace heddle::emit {
namespace {

class TritonRewriter : public KernelRewriter {
 public:
  TritonRewriter(const std::string& path, const std::string& function)
      : source_(path), ids_(find_program_ids(source_, function)) {}

  const std::string& path() const override { return ids_.module->path; }
  const std::string& text() const override { return ids_.module->text; }
  Position position() const override { return ids_.function->begin; }
  int axes() const override { return ids_.axes; }
  std::set<std::string> constants() const override { return ids_.constant; }
  void check_axes(const order::Shape& shape) const override { emit::check_axes(ids_, shape); }
  void check_program(const kernel::KernelProgram& program) const override {
    emit::check_program(ids_, program);
  }
  void refuse_unseen() const override { emit::refuse_unseen(ids_); }
  std::string rewrite(const proof::ProvenOrder& proven, const Independence& independence,
                      const std::vector<std::string>& assumptions) const override {
    return rewrite_kernel(ids_, proven, independence, assumptions);
  }

 private:
  kernel::triton::TritonSource source_;
  ProgramIds ids_;
};

class CxxRewriter : public KernelRewriter {
 public:
  CxxRewriter(const std::string& path, const std::string& function,
              const std::vector<std::string>& macros)
      : source_(path), blocks_(find_blocks(source_, function, macros)) {}

  const std::string& path() const override { return source_.path(); }
  const std::string& text() const override { return source_.text(); }
  Position position() const override { return blocks_.function->position; }
  int axes() const override { return blocks_.axes; }
  std::set<std::string> constants() const override { return {}; }
  void check_axes(const order::Shape& shape) const override { emit::check_axes(blocks_, shape); }
  // Nothing of a compiled kernel says where it takes its index; comparing traces does.
  void check_program(const kernel::KernelProgram&) const override {}
  void refuse_unseen() const override { emit::refuse_unseen(blocks_); }
  std::string rewrite(const proof::ProvenOrder& proven, const Independence& independence,
                      const std::vector<std::string>& assumptions) const override {
    return rewrite_cxx(blocks_, proven, independence, assumptions);
  }

 private:
  kernel::cxx::CxxSource source_;
  CxxBlocks blocks_;
};

}  // namespace

std::unique_ptr<KernelRewriter> open_kernel(const std::string& path, const std::string& function,
                                            const std::vector<std::string>& macros) {
  if (kernel::cxx::is_cxx_path(path)) return std::make_unique<CxxRewriter>(path, function, macros);
  return std::make_unique<TritonRewriter>(path, function);
}

}  // namespace heddle::emit
