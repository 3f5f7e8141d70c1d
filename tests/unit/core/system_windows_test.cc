// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#ifdef _WIN32
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "checks.h"
#include "core/file.h"
#include "core/system.h"
#include "core/utf8_path.h"

TEST_SUITE_BEGIN("core.system_windows");

namespace {

using namespace clipmill;

const std::filesystem::path kShell = "C:\\windows\\system32\\cmd.exe";

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("clipmill-" + std::to_string(system::processId()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

TEST_CASE("What a child writes is collected, and its exit code reported") {
  const auto child = system::runChild(kShell, {"/c", "echo hello& exit 7"}, {});
  REQUIRE(child.ok());
  CHECK(child->end == system::ChildEnd::kExited);
  CHECK(child->code == 7);
  CHECK(asText(child->output) == "hello\r\n");
  CHECK_FALSE(system::isRunning(child->process_id));
}

TEST_CASE("A child is ended at the time limit") {
  system::ChildLimits limits;
  limits.seconds = 0.5;
  const auto start = std::chrono::steady_clock::now();
  const auto child = system::runChild(kShell, {"/c", "ping -n 30 127.0.0.1"}, limits);
  REQUIRE(child.ok());
  CHECK(child->end == system::ChildEnd::kTimeOut);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("A child that writes more than it may is ended") {
  system::ChildLimits limits;
  limits.output_bytes = 1000;
  const auto child =
      system::runChild(kShell, {"/c", "for /l %i in (1,1,1000000) do @echo %i"}, limits);
  REQUIRE(child.ok());
  CHECK(child->end == system::ChildEnd::kTooMuchOutput);
}

TEST_CASE("A missing program is an error") {
  const auto child = system::runChild("C:\\no\\such.exe", {}, {});
  REQUIRE_FALSE(child.ok());
  CHECK(child.error().code == ErrorCode::kUnreadable);
}

TEST_CASE(
    "Files with names of any script, and paths beyond 260 characters, are written and replaced") {
  const Folder folder;
  std::filesystem::path nested = folder.path;
  for (int i = 0; i < 2; ++i) nested /= std::string(40, 'd');
  std::filesystem::create_directories(nested);
  const auto unicode = utf8Path("\xE8\xB5\xB0\xE3\x82\x8B \xD1\x85\xD0\xBE\xD0\xB4.glb");
  for (const auto& path : {folder.path / unicode, nested / (std::string(180, 'f') + ".glb")}) {
    CAPTURE(utf8Text(path));
    const auto temporary = std::filesystem::path(path).concat(L".tmp");
    REQUIRE(system::writeNewFileAndFlush(temporary, asBytes("first")).ok());
    CHECK_FALSE(system::writeNewFile(temporary, asBytes("again")).ok());
    REQUIRE(system::renameOver(temporary, path).ok());
    REQUIRE(system::writeNewFile(temporary, asBytes("second time")).ok());
    REQUIRE(system::renameOver(temporary, path).ok());
    const auto look = system::lookAt(path);
    REQUIRE(look);
    CHECK(look->size == 11);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto age =
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - look->changed_ns;
    CHECK(std::abs(age) < 60'000'000'000);
  }
}

TEST_CASE("A path is the text that it was made of, in UTF-8 and with slashes") {
  const std::string text = "\xC3\xA4\\\xE8\xB5\xB0.glb";
  CHECK(utf8Text(utf8Path(text)) == "\xC3\xA4/\xE8\xB5\xB0.glb");
  CHECK(utf8Path(text).native() == L"\u00e4\\\u8d70.glb");
}

TEST_CASE("What is appended follows the existing content") {
  const Folder folder;
  for (const char* text : {"one\n", "two\n"}) {
    auto file = system::AppendedFile::open(folder.path / "log");
    REQUIRE(file.ok());
    CHECK(file->append(text).ok());
    CHECK(file->flush().ok());
  }
  CHECK(asText(*readFile(folder.path / "log", 100)) == "one\ntwo\n");
}

TEST_CASE("The running program is known, and runs") {
  CHECK(std::filesystem::exists(system::executablePath()));
  CHECK(system::isRunning(system::processId()));
  CHECK(system::peakMemoryBytes() > 1'000'000);
}
#endif
