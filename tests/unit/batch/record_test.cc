// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/record.h"

#include <filesystem>

#include "checks.h"
#include "core/file.h"
#include "temporary_folder.h"

using namespace clipmill;
using namespace clipmill::batch;

TEST_SUITE_BEGIN("batch.record");

namespace {

constexpr std::uint64_t kMost = 1 << 20;

struct Files : test::TemporaryFolder {
  Files() {
    CHECK_OK(writeFileAtomically(input(), std::string_view("in")));
    CHECK_OK(writeFileAtomically(output(), std::string_view("out")));
    record.key = "key";
    record.read.push_back(*stampOf(input(), kMost));
    record.written.push_back(*stampOf(output(), kMost));
    record.clips = 3;
    record.warnings = 1;
    record.outcomes_json = R"({"clips":[],"warnings":[]})";
  }
  std::filesystem::path input() const { return path() / "in.glb"; }
  std::filesystem::path output() const { return path() / "out.glb"; }
  BatchRecord record;
};

}  // namespace

TEST_CASE("A record is current until a file, an output or the key changes") {
  Files files;
  CHECK(isCurrent(files.record, "key", kMost));
  CHECK(!isCurrent(files.record, "other", kMost));
  CHECK_OK(writeFileAtomically(files.input(), std::string_view("In")));
  CHECK(!isCurrent(files.record, "key", kMost));
  CHECK_OK(writeFileAtomically(files.input(), std::string_view("in")));
  CHECK(isCurrent(files.record, "key", kMost));
  std::filesystem::remove(files.output());
  CHECK(!isCurrent(files.record, "key", kMost));
}

TEST_CASE("A change of the same size within a clock tick is detected") {
  Files files;
  const auto time = std::filesystem::last_write_time(files.input());
  CHECK_OK(writeFileAtomically(files.input(), std::string_view("IN")));
  std::filesystem::last_write_time(files.input(), time);
  CHECK(!isCurrent(files.record, "key", kMost));
}

TEST_CASE("A record is the same after it is saved and loaded, and other texts are no record") {
  Files files;
  files.record.error = Error{ErrorCode::kMalformed, "in.glb: \"x\"", "is broken", "mend it"};
  const auto location = files.path() / "record.json";
  CHECK_OK(saveRecord(location, files.record));
  const auto back = loadRecord(location);
  REQUIRE(back.has_value());
  CHECK(back->key == "key");
  CHECK(back->clips == 3);
  CHECK(back->warnings == 1);
  CHECK(back->outcomes_json == files.record.outcomes_json);
  CHECK(back->read[0].hash == files.record.read[0].hash);
  CHECK(back->read[0].changed_ns == files.record.read[0].changed_ns);
  CHECK(back->written[0].path == files.output().string());
  CHECK(back->error->code == ErrorCode::kMalformed);
  CHECK(back->error->location == files.record.error->location);
  for (const char* text : {"", "{}", "[1]", "{\"version\":3}", "{\"version\":99}",
                           "{\"version\":3,"
                           "\"key\":1,\"read\":[],\"written\":[],\"clips\":0,\"warnings\":0}"}) {
    CHECK_OK(writeFileAtomically(location, std::string_view(text)));
    CHECK(!loadRecord(location).has_value());
  }
  CHECK(!loadRecord(files.path() / "missing.json").has_value());
}

TEST_SUITE_END();
