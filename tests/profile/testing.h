// What tests of profiles share: folders on the disk that go away, an invented workload.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "folder.h"
#include "profile/workload/workload.h"
#include "support/error.h"

namespace heddle::profile {

using Folder = TestFolder;

inline const char* kSystem =
    "gpu_model,gpu_arch,cu_per_gpu,se_per_gpu,sqc_per_gpu,wave_size,max_waves_per_cu,max_sclk,"
    "hbm_bw,total_l2_chan,num_xcd,lds_banks_per_cu,command\n"
    "MI200,gfx90a:sramecc+:xnack-,104,8,56,64,32,1700,1638.4,32,1,32,\"./app -n 1\n --again\"\n";

inline const char* kCountersText =
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,SQ_WAVES,Start_Timestamp,End_Timestamp\n"
    "0,\"copy(int*, int)\",2,6400,100,1411551767635712,1411551767656192\n"
    "1,\"scale(int*, int)\",2,6400,100,1411551767749472,1411551767765792\n"
    "2,\"copy(int*, int)\",3,6400,100,1411551767786592,1411551767802112\n";

inline const char* kLevelText =
    "Dispatch_ID,Kernel_Name,SQ_ACCUM_PREV_HIRES\n"
    "0,\"copy(int*, int)\",11\n1,\"scale(int*, int)\",12\n2,\"copy(int*, int)\",13\n";

/// Three dispatches of two kernels on two GPUs.
inline void write_sample(const Folder& folder, const std::string& below = "") {
  folder.write(below + "pmc_perf.csv", kCountersText);
  folder.write(below + "sysinfo.csv", kSystem);
  folder.write(below + "SQ_LEVEL_WAVES.csv", kLevelText);
  folder.write(below + "roofline.csv", "device,HBMBw\n0,1400\n");
  folder.write(below + "timestamps.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp\n0,copy,100,300\n");
}

/// The notes, one a line.
inline std::string text_of(const std::vector<ProfileNote>& notes) {
  std::string text;
  for (const ProfileNote& note : notes) text += note.where + ": " + note.what + "\n";
  return text;
}

/// The message of the Error that reading the folder gives; it must have a hint.
inline std::string refusal(const std::string& path) {
  try {
    read_workload(path);
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty()) << error.full_text();
    return error.full_text();
  }
  ADD_FAILURE() << path << " was read";
  return {};
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace heddle::profile
