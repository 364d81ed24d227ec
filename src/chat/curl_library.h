// The functions and numbers of libcurl that heddle uses, declared by hand: its binary interface has
// been the same since 7.16 (2006). tests/chat/curl_test.cpp compares them with curl/curl.h where that
// is installed.
#pragma once

#include <cstddef>

namespace heddle::chat::curl {

using Handle = void;
struct List;

enum Option : int {
  kWriteData = 10001,
  kUrl = 10002,
  kErrorBuffer = 10010,
  kPostFields = 10015,
  kHttpHeader = 10023,
  kHeaderData = 10029,
  kProgressData = 10057,
  kCaInfo = 10065,
  kNoProxy = 10177,
  kWriteFunction = 20011,
  kHeaderFunction = 20079,
  kProgressFunction = 20219,
  kNoProgress = 43,
  kPost = 47,
  kFollowLocation = 52,
  kPostFieldSize = 60,
  kVerifyPeer = 64,
  kVerifyHost = 81,
  kNoSignal = 99,
  kTimeoutMs = 155,
  kConnectTimeoutMs = 156,
  kProtocols = 181,
};

enum Info : int { kResponseCode = 0x200002, kContentType = 0x100012 };

inline constexpr long kHttpAndHttps = 3;
inline constexpr long kGlobalAll = 3;
inline constexpr std::size_t kErrorBytes = 256;

/// Results that heddle tells apart.
inline constexpr int kGood = 0;
inline constexpr int kBadProtocol = 1;
inline constexpr int kBadUrl = 3;
inline constexpr int kWriteError = 23;
inline constexpr int kTimedOut = 28;
inline constexpr int kAborted = 42;
inline constexpr int kPeerFailed = 60;
inline constexpr int kBadCaFile = 77;

struct Library {
  int (*global_init)(long) = nullptr;
  Handle* (*easy_init)() = nullptr;
  int (*easy_setopt)(Handle*, int, ...) = nullptr;
  int (*easy_perform)(Handle*) = nullptr;
  int (*easy_getinfo)(Handle*, int, ...) = nullptr;
  void (*easy_cleanup)(Handle*) = nullptr;
  const char* (*easy_strerror)(int) = nullptr;
  List* (*slist_append)(List*, const char*) = nullptr;
  void (*slist_free_all)(List*) = nullptr;
};

/// Loaded once. Throws Error with ExitCode::missing.
const Library& library();

}  // namespace heddle::chat::curl
