// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/import_child.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "core/system.h"
#include "core/text.h"
#include "io/imported/import_message.h"

namespace clipmill::io::imported {
namespace {

constexpr double kDefaultTimeout_s = 120.0, kMaxTimeout_s = 86400.0;
// What the library needs besides what it decodes.
constexpr std::uint64_t kMemoryOfLibrary = std::uint64_t{512} << 20;
constexpr const char* kSaveAsGltf = "open it in the program that made it and save it as glTF";

std::filesystem::path helperProgram() {
  // Read while no other thread changes the environment: nothing in clipmill does.
  if (const char* named = std::getenv("CLIPMILL_IMPORT"); named && *named) return named;
  const std::filesystem::path folder = system::executablePath().parent_path();
  const std::string name = "clipmill-import" + std::string(system::kProgramEnding);
  const std::filesystem::path beside = folder / name;
  std::error_code fault;
  if (std::filesystem::is_regular_file(beside, fault)) return beside;
  return folder.parent_path() / "libexec" / "clipmill" / name;  // as it is installed
}

double timeoutSeconds() {
  const char* named = std::getenv("CLIPMILL_IMPORT_SECONDS");
  const auto seconds = parseNumber(named ? named : "");
  return seconds && *seconds > 0.0 && *seconds <= kMaxTimeout_s ? *seconds : kDefaultTimeout_s;
}

Error readerFault(const std::string& how) {
  return {ErrorCode::kMalformed, "", "could not be read (" + how + ")", kSaveAsGltf};
}

}  // namespace

Result<ImportedScene> importInChild(const std::filesystem::path& path, const Limits& limits) {
  const std::filesystem::path program = helperProgram();
  std::error_code fault;
  if (!std::filesystem::is_regular_file(program, fault)) {
    return Error{ErrorCode::kUnsupported, "",
                 "needs the program " + program.string() + ", which does not exist",
                 "install clipmill-import with clipmill, or name it in CLIPMILL_IMPORT"};
  }
  system::ChildLimits child_limits;
  child_limits.seconds = timeoutSeconds();
  child_limits.output_bytes = limits.max_decoded_bytes;
  child_limits.memory_bytes = 2 * limits.max_decoded_bytes + kMemoryOfLibrary;
  CLIPMILL_TRY(
      system::ChildResult child,
      system::runChild(program,
                       {path.string(), std::to_string(limits.max_file_bytes),
                        std::to_string(limits.max_decoded_bytes), numberText(child_limits.seconds)},
                       child_limits));
  switch (child.end) {
    case system::ChildEnd::kExited:
      if (child.code != 0) return readerFault("exit code " + std::to_string(child.code));
      break;
    case system::ChildEnd::kSignal:
    case system::ChildEnd::kKilled:
      return readerFault("signal " + std::to_string(child.code));
    case system::ChildEnd::kTimeOut:
      return Error{ErrorCode::kLimit, "",
                   "was not read within " + numberText(child_limits.seconds) + " s",
                   "allow more in CLIPMILL_IMPORT_SECONDS"};
    case system::ChildEnd::kInterrupted:
      return Error{ErrorCode::kInterrupted, "", "was interrupted, and nothing was written",
                   "run it again"};
    case system::ChildEnd::kTooMuchOutput:
      return Error{ErrorCode::kLimit, "", "decodes to more than the limit",
                   "raise --max-decoded-mb if the file is meant to be that large"};
  }
  CLIPMILL_TRY(ImportMessage message, readImportMessage(child.output));
  if (message.error) return std::move(*message.error);
  return std::move(message.imported);
}

}  // namespace clipmill::io::imported
