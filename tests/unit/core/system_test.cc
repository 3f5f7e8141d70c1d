// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
// system_windows_test.cc has the tests of Windows; WebAssembly starts no other program.
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include "core/system.h"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "checks.h"
#include "core/file.h"

TEST_SUITE_BEGIN("core.system");

namespace {

using namespace clipmill;
using namespace clipmill::system;

ChildResult shell(const std::string& command, ChildLimits limits = {}) {
  auto result = runChild("/bin/sh", {"-c", command}, limits);
  CHECK_OK(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE("What a child writes is collected, and its exit code reported") {
  const ChildResult child = shell("printf 'a b'; printf gone >&2; exit 5");
  CHECK(child.end == ChildEnd::kExited);
  CHECK(child.code == 5);
  CHECK(asText(child.output) == "a b");
}

TEST_CASE("Arguments reach a child as they are") {
  const auto child = runChild("/bin/sh", {"-c", "printf %s \"$1\"", "sh", "a 'b' $c"}, {});
  CHECK_OK(child);
  CHECK(asText(child->output) == "a 'b' $c");
}

TEST_CASE("A child has the environment of this process, with plain elementary functions") {
  const ChildResult child = shell("printf %s \"$PATH\"; printf %s \"$GLIBC_TUNABLES\"");
#ifdef __linux__
  const char* plain = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2";
#else
  const char* plain = "";
#endif
  CHECK(std::string(asText(child.output)) == std::string(std::getenv("PATH")) + plain);
}

TEST_CASE("A child that kills itself is reported by its signal") {
  const ChildResult child = shell("printf x; kill -ABRT $$");
  CHECK(child.end == ChildEnd::kSignal);
  CHECK(child.code == 6);
}

TEST_CASE("A child and its own children are ended at the time limit") {
  ChildLimits limits;
  limits.seconds = 0.2;
  CHECK(shell("sleep 1000 & sleep 1000", limits).end == ChildEnd::kTimeOut);
}

TEST_CASE("A child that has closed its output and goes on is ended too") {
  ChildLimits limits;
  limits.seconds = 0.2;
  CHECK(shell("exec >&-; exec sleep 1000", limits).end == ChildEnd::kTimeOut);
}

TEST_CASE("A child that writes without end is ended") {
  ChildLimits limits;
  limits.output_bytes = 1000;
  const ChildResult child = shell("yes", limits);
  CHECK(child.end == ChildEnd::kTooMuchOutput);
  CHECK(child.output.empty());
}

TEST_CASE("A child reads nothing and writes no file") {
  CHECK(asText(shell("cat; echo end").output) == "end\n");
  const auto path = std::filesystem::temp_directory_path() /
                    ("clipmill_child_" + std::to_string(processId()) + ".txt");
  shell("sleep 0.05; echo text > '" + path.string() + "'");
  std::error_code fault;
  const auto size = std::filesystem::file_size(path, fault);
  CHECK((fault || size == 0));
  std::filesystem::remove(path, fault);
}

TEST_CASE("A child reads the input it is given, however long, and writes files where it may") {
  const std::string input(std::size_t{1} << 20, 'x');
  const auto path = std::filesystem::temp_directory_path() /
                    ("clipmill_child_" + std::to_string(processId()) + ".txt");
  ChildLimits limits;
  limits.may_write_files = true;
  limits.seconds = std::numeric_limits<double>::infinity();
  const auto child =
      runChild("/bin/sh", {"-c", "sleep 0.05; cat > '" + path.string() + "'; printf %s $$"}, limits,
               asBytes(input));
  CHECK_OK(child);
  CHECK(asText(child->output) == std::to_string(child->process_id));
  const auto written = readFile(path, input.size());
  CHECK_OK(written);
  CHECK(asText(*written) == input);
  std::filesystem::remove(path);
}

TEST_CASE("The peak of memory grows with what is filled") {
  const std::uint64_t before = peakMemoryBytes();
  const std::vector<char> filled(before + (std::size_t{64} << 20), 'x');
  CHECK(filled[before] == 'x');
  CHECK(peakMemoryBytes() >= before + (std::uint64_t{32} << 20));
}

TEST_CASE("The memory of a child is limited, but for builds with sanitizers") {
  ChildLimits limits;
  limits.memory_bytes = std::uint64_t{1} << 30;
  const ChildResult child = shell("sleep 0.05; ulimit -v; ulimit -c; ulimit -f", limits);
  const std::string text(asText(child.output));
  CHECK((text == "1048576\n0\n0\n" || text == "unlimited\n0\n0\n"));
}

TEST_CASE("A missing program is an error") {
  const auto child = runChild("/no/such/program", {}, {});
  REQUIRE(!child.ok());
  CHECK(child.error().code == ErrorCode::kUnreadable);
}

TEST_CASE("The file of the running program is known") {
  CHECK(std::filesystem::is_regular_file(executablePath()));
}

TEST_CASE("What is appended follows the existing content") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("clipmill_append_" + std::to_string(processId()) + ".txt");
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  for (int i = 0; i < 2; ++i) {
    auto file = AppendedFile::open(path);
    REQUIRE(file.ok());
    CHECK(file->append("a\n").ok());
    AppendedFile moved = std::move(*file);
    CHECK(moved.append("b\n").ok());
    CHECK(moved.flush().ok());
  }
  const auto bytes = readFile(path, 100);
  REQUIRE(bytes.ok());
  CHECK(asText(*bytes) == "a\nb\na\nb\n");
  std::filesystem::remove(path, ignored);
  CHECK(AppendedFile::open("/no/such/folder/file").error().code == ErrorCode::kWrite);
  auto full = AppendedFile::open("/dev/full");
  REQUIRE(full.ok());
  CHECK(full->append("a").error().code == ErrorCode::kWrite);
}
#endif
