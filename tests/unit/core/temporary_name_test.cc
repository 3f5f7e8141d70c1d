// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/temporary_name.h"

#include "checks.h"
#include "temporary_folder.h"

using namespace clipmill;

TEST_CASE("A temporary file lies beside its target, and its name contains that of the target") {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.glb", "a", "a.1.2.tmp", ".a", "a b.7"}) {
    const auto temporary = temporaryBeside(folder / name);
    CHECK(temporary.parent_path() == folder.path());
    CHECK(targetOfTemporary(temporary.filename().string()).value_or("") == name);
    CHECK(temporaryBeside(folder / name) != temporary);
  }
}

TEST_CASE("A name in use is not given again") {
  const test::TemporaryFolder folder;
  const std::string name = temporaryBeside(folder / "a").filename().string();
  // The next numbers, as an earlier process of the same number would have left them.
  const std::size_t point = name.rfind('.', name.size() - 5);
  const unsigned next = static_cast<unsigned>(std::stoul(name.substr(point + 1)));
  for (unsigned i = 1; i <= 5; ++i) {
    folder.write(name.substr(0, point + 1) + std::to_string(next + i) + ".tmp", Bytes(1));
  }
  CHECK(!std::filesystem::exists(temporaryBeside(folder / "a")));
}

TEST_CASE("Other names do not denote temporary files") {
  for (const char* name :
       {"", ".", ".tmp", "..tmp", ".1.2.tmp", "..1.2.tmp", "a.1.2.tmp", ".a.tmp", ".a.1.tmp",
        ".a.x.2.tmp", ".a.1.x.tmp", ".a.1..tmp", ".a..1.tmp", ".a.1.2.tm", ".a.1.2"}) {
    CAPTURE(name);
    CHECK(!targetOfTemporary(name).has_value());
  }
}
