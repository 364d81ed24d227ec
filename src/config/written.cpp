#include "config/written.h"

#include <fmt/format.h>

namespace heddle::config {

Error placed(const Error& error, const Written& written) {
  if (!error.source().empty()) return error;
  constexpr std::size_t kShown = 120;
  const bool whole = written.text.size() <= kShown;
  const std::string text = whole ? written.text : written.text.substr(0, kShown) + "...";
  return Error(fmt::format("{}, in \"{}\"", error.message(), text), error.hint(), error.code())
      .at(written.source, written.position);
}

}  // namespace heddle::config
