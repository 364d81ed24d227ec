// Which ceilings a workload is shown below.
#include <fmt/format.h>

#include <algorithm>

#include "profile/roofline/roofline.h"
#include "support/error.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// What sysinfo.csv calls all of CDNA 2, by the compute units that each has.
struct Model {
  double units;
  const char* gpu;
  const char* remark;
};
constexpr Model kMi200[] = {{104, "mi210", "; a die of an MI250 has the same"},
                            {110, "mi250x", ""}};

struct KnownGpu {
  std::string name;  ///< empty if there is none
  std::string why;
};

KnownGpu gpu_of(const Workload& workload) {
  const std::string* model = workload.system_text("gpu_model");
  if (model == nullptr) return {{}, "sysinfo.csv names no gpu_model"};
  // "MI300X_A1" is an MI300X.
  std::string name = lower_case(model->substr(0, model->find('_')));
  // "NVIDIA H100 80GB HBM3" is an H100.
  constexpr std::string_view kVendor = "nvidia ";
  if (name.starts_with(kVendor)) name = name.substr(kVendor.size());
  name = name.substr(0, name.find_first_of(" -"));
  for (const std::string& known : config::known_gpus()) {
    if (known == name) return {known, "the GPU model of sysinfo.csv"};
  }
  const auto units = workload.system_number("cu_per_gpu");
  for (const Model& one : kMi200) {
    if (name == "mi200" && units == one.units)
      return {one.gpu, fmt::format("since sysinfo.csv says {} with {} CUs{}", *model, one.units,
                                   one.remark)};
  }
  return {{}, fmt::format("no GPU file is called '{}', the model of sysinfo.csv", *model)};
}

/// " (of gfx90a: mi210, mi250x)".
std::string names_of(const std::string& arch) {
  std::vector<std::string> names;
  for (const std::string& known : config::known_gpus()) {
    if (config::read_gpu(known).target == arch) names.push_back(known);
  }
  return names.empty() ? " (heddle gpus lists them)"
                       : fmt::format(" (of {}: {})", arch, fmt::join(names, ", "));
}

/// A partition of sysinfo.csv, if it says one: "CPX", "NPS1".
std::string partition_of(const Workload& workload, const char* field) {
  const std::string* text = workload.system_text(field);
  if (text == nullptr) return {};
  std::string name = lower_case(trim(*text));
  if (name == "na" || name == "n/a" || name == "none") return {};
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

/// In the mode that was profiled, as far as somebody says which that was.
config::Gpu gpu_in_mode(const std::string& name, const Workload& workload,
                        std::vector<ProfileNote>& notes) {
  config::Gpu gpu = config::read_gpu(name);
  if (gpu.modes.empty()) return gpu;
  const std::string partition = partition_of(workload, "compute_partition");
  for (const std::string& mode :
       {partition + "-" + partition_of(workload, "memory_partition"), partition}) {
    if (is_one_of(mode, gpu.modes)) return config::read_gpu(name + ":" + mode);
  }
  notes.push_back({"sysinfo.csv", partition.empty()
                                      ? fmt::format("it has no compute_partition; mode {} of {} is "
                                                    "assumed",
                                                    gpu.mode, name)
                                      : fmt::format("{} has no mode '{}', its compute_partition; "
                                                    "mode {} is assumed",
                                                    name, partition, gpu.mode)});
  return gpu;
}

RooflineCeilings asked_ceilings(const Workload& workload, const std::string& name,
                                std::vector<ProfileNote>& notes) {
  const config::Gpu gpu = config::read_gpu(name);
  const std::string partition = partition_of(workload, "compute_partition");
  if (!gpu.mode.empty() && !partition.empty() && !gpu.mode.starts_with(partition))
    notes.push_back({"sysinfo.csv", fmt::format("its compute_partition is {}, the ceilings are of "
                                                "mode {}",
                                                partition, gpu.mode)});
  return known_ceilings(gpu);
}

/// Row of device 0, or the first that can be read.
RooflineCeilings usual_ceilings(const Workload& workload, std::vector<ProfileNote>& notes) {
  const auto device = first_device(workload);
  if (!device)
    throw Error(fmt::format("'{}/roofline.csv' has no row that can be read", workload.path));
  if (*device != 0)
    notes.push_back({"roofline.csv", fmt::format("it has no row of device 0; ceilings are those of "
                                                 "device {}, its first",
                                                 *device)});
  return measured_ceilings(workload, *device);
}

}  // namespace

RooflineCeilings choose_ceilings(const Workload& workload, const RooflineOptions& options,
                                 std::vector<ProfileNote>& notes) {
  if (!options.gpu.empty()) return asked_ceilings(workload, options.gpu, notes);
  if (options.device) return measured_ceilings(workload, *options.device);
  std::string lacks = "the file is missing";
  if (workload.roofline.rows() > 0) {
    try {
      return usual_ceilings(workload, notes);
    } catch (const Error& error) {
      lacks = error.message();
    }
  }
  const KnownGpu known = gpu_of(workload);
  if (known.name.empty()) {
    notes.push_back({"roofline.csv",
                     fmt::format("{}, and {}: there are no ceilings; --gpu NAME takes those of a "
                                 "GPU file{}",
                                 lacks, known.why, names_of(workload.arch))});
    return {};
  }
  notes.push_back({"roofline.csv",
                   fmt::format("{}; ceilings are those of {}, {}", lacks, known.name, known.why)});
  return known_ceilings(gpu_in_mode(known.name, workload, notes));
}

}  // namespace heddle::profile
