#include "trace_addresses.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/file.h"
#include "support/text.h"
#include "trace/runs.h"
#include "trace/source.h"

namespace heddle::tool {
namespace {

constexpr std::int64_t kMostWrittenTiles = 100'000'000;  ///< tiles, accesses and elements

class AddressSink : public trace::AccessSink {
 public:
  AddressSink(const kernel::KernelProgram& program, const config::Launch& launch,
              std::ostream& stream)
      : program_(program), launch_(launch), stream_(stream) {}

  void start_tile(const std::array<std::int64_t, 3>& started) {
    tile = started;
    count(1);
  }

  std::array<std::int64_t, 3> tile{};

  void access(const trace::AccessPattern& pattern) override {
    const kernel::Site& site = program_.sites[static_cast<std::size_t>(pattern.site)];
    std::uint64_t origin = 0;
    nlohmann::json tensor = nullptr;
    if (pattern.tensor >= 0) {
      const config::Tensor& found = launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
      origin = found.address;
      tensor = found.name;
    }
    offsets_.clear();
    trace::append_elements(pattern, offsets_);
    count(1 + static_cast<std::int64_t>(offsets_.size()));
    for (std::uint64_t& offset : offsets_) offset -= origin;
    const int line = program_.places[static_cast<std::size_t>(site.place)].position.line;
    stream_ << fmt::format(
        R"({{"tile":[{}],"line":{},"kind":"{}","tensor":{},"element_bytes":{},"offsets":[{}]}})",
        fmt::join(tile, ","), line, access_text(trace::access_kind(site.kind)), tensor.dump(),
        pattern.element_bytes, fmt::join(offsets_, ","));
    stream_ << '\n';
  }

 private:
  void count(std::int64_t more) {
    written_ += more;
    if (written_ > kMostWrittenTiles)
      throw Error(fmt::format("more than {} addresses", with_separators(kMostWrittenTiles)),
                  "pick a tile with --tile, or smaller sizes with --set", ExitCode::inconclusive);
  }

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  std::ostream& stream_;
  std::vector<std::uint64_t> offsets_;
  std::int64_t written_ = 0;
};

}  // namespace

void write_addresses(const LoadedKernel& loaded, std::optional<std::array<std::int64_t, 3>> tile,
                     const trace::TraceOptions& options, const std::string& path) {
  std::optional<PendingFile> pending;
  std::ofstream file;
  if (path != "-") file.open(pending.emplace(path).path(), std::ios::binary);
  std::ostream& stream = path == "-" ? std::cout : file;
  const kernel::KernelProgram reduced = kernel::remove_unneeded(loaded.program, kernel::Keep::all);
  trace::Tracer tracer(reduced, loaded.launch, options);
  AddressSink sink(reduced, loaded.launch, stream);
  const Grid& grid = loaded.launch.grid;
  const std::int64_t count = tile ? 1 : grid.count();
  for (std::int64_t id = 0; id < count; ++id) {
    sink.start_tile(tile ? *tile : block_of(grid, LaunchId{id}));
    tracer.run(sink.tile, sink);
    if (!stream) break;
  }
  stream.flush();
  if (!stream)
    throw Error(fmt::format("cannot write '{}'", path), "check the folder and the free space",
                ExitCode::missing);
  if (!pending) return;
  file.close();
  pending->commit();
}

}  // namespace heddle::tool
