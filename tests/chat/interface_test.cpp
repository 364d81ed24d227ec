#include "chat/interface.h"

#include <gtest/gtest.h>

#include "chat/client.h"
#include "chat/transcript.h"
#include "support/error.h"

namespace heddle::chat {
namespace {

TEST(Endpoint, addresses_are_completed) {
  const auto url = [](const std::string& text, const std::string& interface = "") {
    return read_endpoint(text, interface).url;
  };
  EXPECT_EQ(url("http://localhost:8080"), "http://localhost:8080/v1/chat/completions");
  EXPECT_EQ(url("HTTPS://API.openai.com/v1/"), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(url("https://api.anthropic.com"), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(url("http://[::1]:99/v1", "anthropic"), "http://[::1]:99/v1/messages");
  EXPECT_EQ(url("http://a/llm/v1/messages"), "http://a/llm/v1/messages");
  EXPECT_TRUE(read_endpoint("http://127.0.0.1:1", "").local);
  EXPECT_FALSE(read_endpoint("http://127.0.0.1.example.com", "").local);
  EXPECT_FALSE(
      read_endpoint("https://evil.com/api.anthropic.com", "").host.ends_with("anthropic.com"));
  for (const char* const bad : {"", "localhost", "ftp://a", "http://", "http://a b", "http://u@a",
                                "http://a?key=1", "http://a\n", "file:///etc/passwd"})
    EXPECT_THROW(read_endpoint(bad, ""), Error) << bad;
}

TEST(Reply, any_json_is_passed_over) {
  for (const Interface interface : {Interface::openai, Interface::anthropic}) {
    for (const char* const data :
         {"", "7", "[]", "{}", "{\"choices\": 7}", "{\"choices\": [7]}",
          "{\"choices\": [{\"delta\": []}]}", "{\"type\": \"content_block_delta\", \"delta\": 7}",
          "{\"usage\": {\"prompt_tokens\": -3}}",
          "{\"usage\": {\"prompt_tokens\": 1e300, \"output_tokens\": 99999999999999}}"}) {
      Reply reply;
      take_event(interface, data, reply);
      EXPECT_EQ(reply.text, "") << data;
      EXPECT_FALSE(reply.input_tokens || reply.output_tokens) << data;
      EXPECT_FALSE(take_body(interface, data, reply)) << data;
    }
  }
}

TEST(Transcript, is_read_back) {
  Transcript written{"m", Interface::openai, "system", {}};
  Exchange exchange;
  exchange.answer = "one\n```\nxcd(8)\n```\n\xff";
  exchange.output_tokens = 3;
  exchange.cut = true;
  written.rounds.push_back({1, "question", exchange});
  const auto read = read_transcript(transcript_text(written));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].answer.substr(0, 19), exchange.answer.substr(0, 19));
  EXPECT_EQ(read[0].output_tokens, 3);
  EXPECT_TRUE(read[0].cut);
}

TEST(Transcript, a_log_is_one) {
  const auto read = read_transcript(
      "Iteration 1:\nSwizzling formula:\n```python\npid = tl.program_id(0)\n```\n\nIteration "
      "2:\nSwizzling "
      "formula:\npid = 1\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].answer, "```\npid = tl.program_id(0)\n```\n");
  EXPECT_EQ(read[1].answer, "```\npid = 1\n```\n");
  EXPECT_THROW(read_transcript("nothing"), Error);
}

}  // namespace
}  // namespace heddle::chat
