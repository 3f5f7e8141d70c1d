// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/file.h"

#include <string>

#include "checks.h"
#include "core/system.h"
#include "core/to_size.h"
#include "core/utf8_path.h"
#include "platform.h"

TEST_SUITE_BEGIN("core.file");

using namespace clipmill;
namespace fs = std::filesystem;

namespace {

// An empty folder that lives as long as the test.
class Folder {
 public:
  Folder()
      : path_(withSlashes(fs::temp_directory_path() /
                          ("clipmill_file_test_" + std::to_string(system::processId())))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const char* name) const { return withSlashes(path_ / name); }
  std::size_t entryCount() const {
    return toSize(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

std::string contentOf(const fs::path& path) {
  const auto bytes = readFile(path, 1 << 20);
  CHECK_OK(bytes);
  return std::string(asText(*bytes));
}

}  // namespace

TEST_CASE("a link stays, and the file that it leads to gets the bytes") {
  if (test::kIsWindows || test::kIsWebAssembly) return;  // links need rights there
  const Folder folder;
  const fs::path file = folder / "file.bin", link = folder / "link.bin";
  CHECK_OK(writeFileAtomically(file, "old"));
  fs::create_symlink(file, link);
  CHECK_OK(writeFileAtomically(link, "new"));
  CHECK(fs::is_symlink(link));
  CHECK(contentOf(file) == "new");
  CHECK(folder.entryCount() == 2);
}

TEST_CASE("written bytes are read back, and replace the old content") {
  const Folder folder;
  const fs::path path = folder / "out.bin";
  const std::string first("one\0two", 7);
  CHECK_OK(writeFileAtomically(path, first));
  CHECK(contentOf(path) == first);
  CHECK_OK(writeFileAtomically(path, ""));
  CHECK(contentOf(path) == "");
  CHECK(folder.entryCount() == 1);
}

TEST_CASE("a failed write leaves no file and names the requested one") {
  const Folder folder;
  const Status no_folder = writeFileAtomically(folder / "missing/out.bin", "text");
  REQUIRE(!no_folder.ok());
  CHECK(no_folder.error().code == ErrorCode::kWrite);
  CHECK(no_folder.error().location == (folder / "missing/out.bin").string());
  CHECK(folder.entryCount() == 0);

  fs::create_directory(folder / "taken");
  CHECK_OK(writeFileAtomically(folder / "taken/file", "text"));
  const Status onto_folder = writeFileAtomically(folder / "taken", "text");
  REQUIRE(!onto_folder.ok());
  CHECK(onto_folder.error().code == ErrorCode::kWrite);
  CHECK(onto_folder.error().location == (folder / "taken").string());
  CHECK(folder.entryCount() == 1);
  CHECK(contentOf(folder / "taken/file") == "text");
}

TEST_CASE("a new file is not written over one that exists") {
  const Folder folder;
  CHECK_OK(writeFileAtomically(folder / "a", "old"));
  CHECK(!system::writeNewFileAndFlush(folder / "a", asBytes("new")).ok());
  CHECK(contentOf(folder / "a") == "old");
}

TEST_CASE("reading distinguishes a missing file, a folder, and a file over the limit") {
  const Folder folder;
  CHECK(readFile(folder / "missing", 10).error().code == ErrorCode::kNotFound);
  CHECK(readFile(folder / "", 10).error().code == ErrorCode::kUnreadable);
  CHECK_OK(writeFileAtomically(folder / "ten", "0123456789"));
  CHECK(readFile(folder / "ten", 10).ok());
  CHECK(readFile(folder / "ten", 9).error().code == ErrorCode::kLimit);
}

TEST_CASE("a device is refused as an input, because it may have no end") {
  if (test::kIsWindows) return;  // it has no device with a path
  const auto bytes = readFile("/dev/zero", 10);
  REQUIRE(!bytes.ok());
  CHECK(bytes.error().code == ErrorCode::kUnreadable);
  CHECK(bytes.error().message == "is not a regular file");
}

TEST_CASE("temporary files of an ended process are removed, and nothing else") {
  const Folder folder;
  for (const char* name : {".out.glb.17.0.tmp", ".out.glb.17.12.tmp", ".out.glb.117.0.tmp",
                           ".out.glb.17.x.tmp", "out.glb.17.0.tmp", ".17.0.tmp.glb"}) {
    CHECK_OK(writeFileAtomically(folder / name, std::string_view("x")));
  }
  removeTemporaries(folder / ".", 17);
  CHECK(folder.entryCount() == 4);
  CHECK(!fs::exists(folder / ".out.glb.17.0.tmp"));
  CHECK(!fs::exists(folder / ".out.glb.17.12.tmp"));
  CHECK(fs::exists(folder / ".out.glb.117.0.tmp"));
  removeTemporaries(folder / "none", 17);
}

TEST_SUITE_END();
