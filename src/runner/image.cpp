#include "runner/image.h"

extern "C" {
extern const char heddle_runner_begin[];
extern const char heddle_runner_end[];
}

namespace heddle::runner {

std::span<const char> image() {
  return {heddle_runner_begin, heddle_runner_end};
}

}  // namespace heddle::runner
