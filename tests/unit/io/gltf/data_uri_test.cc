// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/data_uri.h"

#include "checks.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.data_uri");

using namespace clipmill;
using namespace clipmill::io::gltf;
using clipmill::test::textBytes;

TEST_CASE("The test vectors of RFC 4648 encode and decode") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    CHECK(encodeBase64(textBytes(plain)) == coded);
    CHECK(decodeBase64(coded) == textBytes(plain));
  }
}

TEST_CASE("Data of every length survives base64") {
  Bytes bytes;
  for (int i = 0; i < 300; ++i) {
    CHECK(decodeBase64(encodeBase64(bytes)) == bytes);
    bytes.push_back(static_cast<std::byte>(i * 37 & 255));
  }
}

TEST_CASE("Padding can be missing; other characters and partial bytes are refused") {
  CHECK(decodeBase64("Zm8") == textBytes("fo"));
  CHECK(decodeBase64("Zg") == textBytes("f"));
  CHECK(!decodeBase64("Z"));
  CHECK(!decodeBase64("Zm9vY"));
  CHECK(!decodeBase64("Zm 9v"));
  CHECK(!decodeBase64("Zm9v\n"));
  CHECK(!decodeBase64("Z=g="));
  CHECK(!decodeBase64("Zm9\xff"));
}

TEST_CASE("A data URI gives its bytes, also where it is percent-encoded") {
  const auto plain = decodeDataUri("data:application/octet-stream;base64,Zm9v");
  CHECK_OK(plain);
  CHECK(*plain == textBytes("foo"));
  const auto encoded = decodeDataUri("data:;base64,Zm8%3D");
  CHECK_OK(encoded);
  CHECK(*encoded == textBytes("fo"));
}

TEST_CASE("A data URI that is not base64 is malformed") {
  for (const char* uri : {"data:", "data:text/plain,hello", "data:;base64", "data:;base64,***"}) {
    const auto bytes = decodeDataUri(uri);
    REQUIRE(!bytes.ok());
    CHECK(bytes.error().code == ErrorCode::kMalformed);
  }
}

TEST_CASE("A relative URI is percent-decoded below the folder") {
  CHECK(*fileOfUri("a%20b/c.bin", "dir") == std::filesystem::path("dir/a b/c.bin"));
  CHECK(*fileOfUri("100%.bin", "") == std::filesystem::path("100%.bin"));
  CHECK(*fileOfUri("%4", "") == std::filesystem::path("%4"));
#ifndef _WIN32
  CHECK(*fileOfUri("dir/a:b", "") == std::filesystem::path("dir/a:b"));
#endif
}

TEST_CASE("A URI that is not a relative file path is unsupported") {
  for (const char* uri :
       {"http://host/a.bin", "file:///a.bin", "C:a.bin", "/a.bin", "%2Fa.bin", "a%00b", ""}) {
    CAPTURE(uri);
    const auto path = fileOfUri(uri, "dir");
    REQUIRE(!path.ok());
    CHECK(path.error().code == ErrorCode::kUnsupported);
  }
}

#ifndef _WIN32
TEST_CASE("Any file name survives conversion to a URI") {
  for (const char* name : {"clip.bin", "a b.bin", "100%20.bin", "a:b#c?d.bin",
                           "gr\xC3\xBC\xC3\x9F.bin", "\xff\x01.bin", "\"quoted\"\\.bin"}) {
    const std::string uri = uriOfFile(name);
    CAPTURE(uri);
    CHECK(uri.find_first_of(" :#?\"\\") == std::string::npos);
    CHECK(*fileOfUri(uri, "dir") == std::filesystem::path("dir") / name);
  }
}
#endif

#ifdef _WIN32
TEST_CASE("A URI refers to no volume, no share, no device and no second stream of a file") {
  for (const char* uri : {"C:a.bin", "C:/a.bin", "%43:a.bin", "C%3Aa.bin", "//server/share/a.bin",
                          "\\\\server\\share\\a.bin", "%5C%5Cserver%5Cshare%5Ca.bin", "/a.bin",
                          "\\a.bin", "CON", "nul.bin", "textures/COM1.png", "dir/aux", "LPT9 .bin",
                          "NUL/a.bin", "a.bin:stream", "dir/a%3Astream"}) {
    CAPTURE(uri);
    REQUIRE_FALSE(fileOfUri(uri, "dir").ok());
  }
  CHECK(fileOfUri("console.bin", "dir").ok());
  CHECK(fileOfUri("com10.bin", "dir").ok());
}
#endif
