// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/plain_cause.h"

#include <string>

#include "checks.h"

TEST_SUITE_BEGIN("imported.plain_cause");

using clipmill::io::imported::plainCause;

TEST_CASE("A plain message stays, as one clause") {
  CHECK(plainCause("File is too small") == "File is too small");
  CHECK(plainCause("Unexpected end of file.") == "Unexpected end of file");
  CHECK(plainCause("PLY: no faces!. ") == "PLY: no faces");
  CHECK(plainCause("first\nsecond") == "first");
  CHECK(plainCause("first.\r\nsecond") == "first");
}

TEST_CASE("A message that names parts of the library's code is empty") {
  for (const char* text : {
           "Validation failed: aiScene::mNumMeshes is 0",
           "aiMesh is empty",
           "the array mVertices is null",
           "std::bad_alloc",
           "Deadly: fault at 0x7f31",
           "Read() failed",
           "node->children",
           "a size_t overflows",
           "vector is too long",
           "Assimp gave up",
       }) {
    CAPTURE(text);
    CHECK(plainCause(text).empty());
  }
}

TEST_CASE("Names that only contain the letters of a member name are plain") {
  CHECK(plainCause("The DomeMesh and maiXyz") == "The DomeMesh and maiXyz");
  CHECK(plainCause("aim and main") == "aim and main");
  for (const char* text : {"two vectors are equal", "no memory is allocated for bone_thigh",
                           "standard.ply has no faces", "size 10x20 is too small"}) {
    CHECK(plainCause(text) == text);
  }
}

TEST_CASE("Without text there is no cause") {
  for (const char* text : {"", "\n", ".", " . ! ", "\nsecond"}) {
    CAPTURE(text);
    CHECK(plainCause(text).empty());
  }
}

TEST_CASE(
    "Bytes that are no text do not reach the user, and the middle of a long text is left out") {
  const std::string odd = plainCause("bad name \xff\x01 here");
  CHECK(odd.find('\xff') == std::string::npos);
  CHECK(odd.find('\x01') == std::string::npos);
  CHECK(odd.starts_with("bad name "));
  CHECK(odd.ends_with("? here"));
  const std::string cut = plainCause("start" + std::string(5000, '-') + "end");
  CHECK(cut.size() == 200);
  CHECK(cut.starts_with("start"));
  CHECK(cut.ends_with("end"));
  CHECK(plainCause(std::string(200, '-')) == std::string(200, '-'));
}
