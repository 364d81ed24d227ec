// What chat/curl_library.h declares by hand, against libcurl's own header where that is installed.
#include "chat/curl_library.h"

#include <gtest/gtest.h>

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

namespace heddle::chat::curl {
namespace {

TEST(CurlLibrary, numbers_are_those_of_the_header) {
  EXPECT_EQ(kWriteData, CURLOPT_WRITEDATA);
  EXPECT_EQ(kUrl, CURLOPT_URL);
  EXPECT_EQ(kErrorBuffer, CURLOPT_ERRORBUFFER);
  EXPECT_EQ(kPostFields, CURLOPT_POSTFIELDS);
  EXPECT_EQ(kHttpHeader, CURLOPT_HTTPHEADER);
  EXPECT_EQ(kHeaderData, CURLOPT_HEADERDATA);
  EXPECT_EQ(kProgressData, CURLOPT_XFERINFODATA);
  EXPECT_EQ(kCaInfo, CURLOPT_CAINFO);
  EXPECT_EQ(kNoProxy, CURLOPT_NOPROXY);
  EXPECT_EQ(kWriteFunction, CURLOPT_WRITEFUNCTION);
  EXPECT_EQ(kHeaderFunction, CURLOPT_HEADERFUNCTION);
  EXPECT_EQ(kProgressFunction, CURLOPT_XFERINFOFUNCTION);
  EXPECT_EQ(kNoProgress, CURLOPT_NOPROGRESS);
  EXPECT_EQ(kPost, CURLOPT_POST);
  EXPECT_EQ(kFollowLocation, CURLOPT_FOLLOWLOCATION);
  EXPECT_EQ(kPostFieldSize, CURLOPT_POSTFIELDSIZE);
  EXPECT_EQ(kVerifyPeer, CURLOPT_SSL_VERIFYPEER);
  EXPECT_EQ(kVerifyHost, CURLOPT_SSL_VERIFYHOST);
  EXPECT_EQ(kNoSignal, CURLOPT_NOSIGNAL);
  EXPECT_EQ(kTimeoutMs, CURLOPT_TIMEOUT_MS);
  EXPECT_EQ(kConnectTimeoutMs, CURLOPT_CONNECTTIMEOUT_MS);
  EXPECT_EQ(static_cast<int>(kProtocols), 181);  // CURLOPT_PROTOCOLS, which newer headers deprecate
  EXPECT_EQ(kResponseCode, CURLINFO_RESPONSE_CODE);
  EXPECT_EQ(kContentType, CURLINFO_CONTENT_TYPE);
  EXPECT_EQ(kHttpAndHttps, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  EXPECT_EQ(kTimedOut, CURLE_OPERATION_TIMEDOUT);
  EXPECT_EQ(kPeerFailed, CURLE_PEER_FAILED_VERIFICATION);
  EXPECT_EQ(kBadCaFile, CURLE_SSL_CACERT_BADFILE);
  EXPECT_EQ(kErrorBytes, static_cast<std::size_t>(CURL_ERROR_SIZE));
}

}  // namespace
}  // namespace heddle::chat::curl
#endif
