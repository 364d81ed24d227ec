// Server-sent events, as they come: pieces of any length in, whole events out.
//
//   data: {"choices": [{"delta": {"content": "xcd"}}]}      one event: its lines of data, joined
//   <empty line>
//
// Rules
//   1. Any bytes are accepted, in any pieces; lines end with LF, CR LF or CR.
//   2. Fields other than `data` are not kept. An event without data is none.
//   3. An event of more than kLongestEvent bytes makes the stream bad; nothing follows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::chat {

inline constexpr std::size_t kLongestEvent = std::size_t{1} << 20;  ///< bytes

class EventReader {
 public:
  /// Calls `take` with the data of each event that a piece ends; false: the stream is bad.
  bool add(std::string_view piece, const std::function<void(const std::string&)>& take);
  /// The stream has ended: an event that no empty line has ended counts, too.
  void end(const std::function<void(const std::string&)>& take);

 private:
  void end_line(const std::function<void(const std::string&)>& take);

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;
  bool is_bad_ = false;
};

}  // namespace heddle::chat
