#include "kernel/triton/language.h"

#include "kernel/triton/compile.h"
#include "kernel/triton/host/infer.h"
#include "kernel/triton/index_lines.h"
#include "kernel/triton/outline.h"
#include "kernel/triton/patch/patch.h"
#include "kernel/triton/program_ids.h"
#include "kernel/triton/runtime_module.h"
#include "kernel/triton/tile_uses.h"

namespace heddle::kernel::triton {
namespace {

class TritonFile final : public Source {
 public:
  TritonFile(const std::string& path, std::optional<std::string> text)
      : source_(text ? TritonSource(path, std::move(*text)) : TritonSource(path)) {}

  const Language& language() const override { return triton::language(); }
  const std::string& path() const override { return source_.main().path; }
  const std::string& text() const override { return source_.main().text; }

  std::vector<KernelName> kernels() const override {
    std::vector<KernelName> names;
    for (const std::string& name : source_.main().jit)
      names.push_back({name, source_.main().functions.at(name)->begin});
    return names;
  }

  KernelName find(const std::string& function) const override {
    const Node& node = source_.kernel(function);
    return {node.text, node.begin};
  }

  config::SkeletonInput signature(const std::string& function) override {
    return outline(source_, function);
  }

  std::optional<config::JobDraft> draft(const std::string& function,
                                        const config::Target& target) override {
    if (host_ == nullptr) host_ = TritonSource::for_host(source_);
    host_->target = target;
    return host::infer_job(*host_, function);
  }

  std::vector<ConfigValues> configs(const std::string& function,
                                    const config::Target& target) override {
    source_.target = target;
    return listed_configs(source_, function);
  }

  NamedLaunch launch(const config::Job& job) override { return launch_of(source_, job); }

  KernelProgram compile(const config::Launch& launch) override {
    return triton::compile(source_, launch);
  }
  bool compiles_quickly(const config::Launch&) const override { return true; }

  std::unique_ptr<IndexUses> index_uses(const std::string& function,
                                        const std::vector<std::string>&) override {
    return std::make_unique<ProgramIds>(source_, function);
  }

  std::unique_ptr<TileUses> tile_uses(const config::Launch& launch,
                                      const std::vector<TileVariable>& variables) override {
    return std::make_unique<TritonTileUses>(source_, launch.function, variables);
  }

  IndexLines index_lines(const std::string& function) override {
    return find_index_lines(source_, function);
  }

  TritonSource& source() { return source_; }

 private:
  TritonSource source_;
  std::unique_ptr<TritonSource> host_;  ///< made where a job is drafted
};

class Triton final : public Language {
 public:
  std::string name() const override { return "Triton"; }
  std::string_view comment() const override { return "#"; }
  bool claims(const std::string& path) const override { return path.ends_with(".py"); }
  std::unique_ptr<Source> open(const std::string& path,
                               std::optional<std::string> text) const override {
    return std::make_unique<TritonFile>(path, std::move(text));
  }
  std::unique_ptr<Patch> patch(Source& before, Source& after) const override {
    return make_patch(dynamic_cast<TritonFile&>(before).source(),
                      dynamic_cast<TritonFile&>(after).source());
  }
  RuntimeForm runtime_form(config::Vendor) const override { return {"triton", ".py", false}; }
  std::string runtime_text(const RuntimeSource& source) const override {
    return runtime_module(source.path, source.text, source.launch);
  }
};

}  // namespace

const Language& language() {
  static const Triton triton;
  return triton;
}

NamedLaunch launch_of(TritonSource& source, const config::Job& job) {
  const auto threads = job.launch.find("threads");
  if (threads != job.launch.end())
    throw Error("a Triton kernel has warps, not threads", "write warps = 4 instead")
        .at(threads->second.source, threads->second.position);
  source.target = job.target;
  const auto picked = picked_config(source, job.function, job.config);
  config::Arguments arguments = config::resolve_arguments(job, picked);
  const auto computed = heuristics(source, job.function, arguments);
  NamedLaunch result;
  result.names = arguments.names;
  result.names.insert(result.names.end(), computed.begin(), computed.end());
  result.launch = config::make_launch(job, std::move(arguments), computed);
  return result;
}

}  // namespace heddle::kernel::triton
