#include "chat/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::chat {
namespace {

using testing::ElementsAre;

std::vector<std::string> read_in_pieces(std::string_view text, std::size_t length) {
  std::vector<std::string> events;
  EventReader reader;
  const auto take = [&](const std::string& data) { events.push_back(data); };
  for (std::size_t at = 0; at < text.size(); at += length)
    if (!reader.add(text.substr(at, length), take)) return events;
  reader.end(take);
  return events;
}

TEST(EventReader, pieces_of_any_length_give_the_same_events) {
  const std::string text =
      "event: a\r\ndata: one\r\n\r\n: a comment\ndata:two\ndata: lines\n\nid: 3\n\rdata: last";
  for (std::size_t length = 1; length <= text.size(); ++length)
    EXPECT_THAT(read_in_pieces(text, length), ElementsAre("one", "two\nlines", "last")) << length;
}

TEST(EventReader, an_event_without_end_is_refused) {
  EventReader reader;
  const std::string piece(1 << 16, 'x');
  bool is_good = true;
  std::size_t given = 0;
  for (; is_good && given < 4 * kLongestEvent; given += piece.size())
    is_good = reader.add(piece, [](const std::string&) {});
  EXPECT_FALSE(is_good);
  EXPECT_LE(given, kLongestEvent + 2 * piece.size());
}

}  // namespace
}  // namespace heddle::chat
