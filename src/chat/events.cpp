#include "chat/events.h"

namespace heddle::chat {

bool EventReader::add(std::string_view piece, const std::function<void(const std::string&)>& take) {
  for (const char c : piece) {
    if (is_bad_) return false;
    const bool ends_before = after_return_ && c == '\n';
    after_return_ = c == '\r';
    if (ends_before) continue;  // the second half of CR LF
    if (c == '\n' || c == '\r')
      end_line(take);
    else
      line_ += c;
    is_bad_ = line_.size() + data_.size() > kLongestEvent;
  }
  return !is_bad_;
}

void EventReader::end(const std::function<void(const std::string&)>& take) {
  if (is_bad_) return;
  if (!line_.empty()) end_line(take);
  end_line(take);
}

void EventReader::end_line(const std::function<void(const std::string&)>& take) {
  if (line_.empty()) {
    if (has_data_) take(data_);
    data_.clear();
    has_data_ = false;
    return;
  }
  std::string_view line = line_;
  if (line.starts_with("data:")) {
    line.remove_prefix(5);
    if (line.starts_with(" ")) line.remove_prefix(1);
    if (has_data_) data_ += '\n';
    data_ += line;
    has_data_ = true;
  }
  line_.clear();
}

}  // namespace heddle::chat
