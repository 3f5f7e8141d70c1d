// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fcntl.h>
#include <io.h>

#include "core/system.h"
#include "core/system_windows.h"
#include "core/utf8_path.h"

namespace clipmill::system {
namespace {

using windows::Handle;
using windows::messageOf;
using windows::writeAll;

Error writeError(const std::filesystem::path& path, const char* what) {
  const DWORD fault = ::GetLastError();
  const char* remedy = "";
  if (fault == ERROR_DISK_FULL || fault == ERROR_HANDLE_DISK_FULL) remedy = "free some space";
  if (fault == ERROR_ACCESS_DENIED || fault == ERROR_WRITE_PROTECT) {
    remedy = "choose a folder that can be written";
  }
  if (fault == ERROR_SHARING_VIOLATION) remedy = "close the program that has it open";
  if (fault == ERROR_PATH_NOT_FOUND) remedy = "create the folder first";
  return {ErrorCode::kWrite, utf8Text(path), std::string(what) + ": " + messageOf(fault), remedy};
}

// Paths of 260 characters or more need a prefix, which takes them as they are: absolute, with
// backslashes alone ("Maximum Path Length Limitation", Windows documentation).
std::wstring longPath(const std::filesystem::path& path) {
  constexpr std::size_t kMaxPlain = 247;  // folders leave 12 characters to a file
  std::error_code fault;
  const std::filesystem::path whole = std::filesystem::absolute(path, fault).lexically_normal();
  if (fault || whole.native().size() <= kMaxPlain) return path.native();
  std::wstring text = std::filesystem::path(whole).make_preferred().native();
  if (text.starts_with(L"\\\\?\\") || text.starts_with(L"\\\\.\\")) return text;
  if (text.starts_with(L"\\\\")) return L"\\\\?\\UNC\\" + text.substr(2);
  return L"\\\\?\\" + text;
}

Status writeNew(const std::filesystem::path& path, std::span<const std::byte> bytes,
                bool is_flushed) {
  const std::wstring name = longPath(path);
  Handle file(::CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) return writeError(path, "cannot create the file");
  // What is no disk cannot be flushed.
  const bool is_written =
      writeAll(file.get(), bytes) &&
      (!is_flushed || ::FlushFileBuffers(file.get()) || ::GetLastError() == ERROR_INVALID_FUNCTION);
  if (is_written) return {};
  const Error error = writeError(path, "cannot write the file");
  file.close();
  ::DeleteFileW(name.c_str());
  return error;
}

}  // namespace

Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return writeNew(path, bytes, true);
}

Status writeNewFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return writeNew(path, bytes, false);
}

std::optional<FileLook> lookAt(const std::filesystem::path& path) {
  WIN32_FILE_ATTRIBUTE_DATA found{};
  if (!::GetFileAttributesExW(longPath(path).c_str(), GetFileExInfoStandard, &found)) {
    return std::nullopt;
  }
  const auto joined = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; };
  constexpr std::int64_t kTick_ns = 100, kTicksTo1970 = 116'444'736'000'000'000;  // since 1601
  const auto ticks = static_cast<std::int64_t>(
      joined(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime));
  return FileLook{joined(found.nFileSizeHigh, found.nFileSizeLow),
                  (ticks - kTicksTo1970) * kTick_ns};
}

Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to) {
  // Programs that look at new files, such as virus scanners, hold them for a moment.
  constexpr int kTrials = 20;
  constexpr DWORD kNap_ms = 25;
  const std::wstring old_name = longPath(from), new_name = longPath(to);
  for (int trial = 1;; ++trial) {
    if (::MoveFileExW(old_name.c_str(), new_name.c_str(), MOVEFILE_REPLACE_EXISTING)) return {};
    const DWORD fault = ::GetLastError();
    const bool is_held = fault == ERROR_SHARING_VIOLATION || fault == ERROR_LOCK_VIOLATION ||
                         (fault == ERROR_ACCESS_DENIED && trial < kTrials / 4);
    if (!is_held || trial == kTrials) return writeError(to, "cannot rename the temporary file");
    ::Sleep(kNap_ms);
  }
}

AppendedFile::~AppendedFile() {
  if (file_ >= 0) ::_close(file_);
}

Result<AppendedFile> AppendedFile::open(const std::filesystem::path& path) {
  // With this right alone the system puts every write at the end, whoever else writes.
  const HANDLE file = ::CreateFileW(longPath(path).c_str(), FILE_APPEND_DATA | SYNCHRONIZE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return writeError(path, "cannot open the file");
  AppendedFile opened;
  opened.path_ = path;
  opened.file_ = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_APPEND | _O_BINARY);
  if (opened.file_ < 0) {
    ::CloseHandle(file);
    return writeError(path, "cannot open the file");
  }
  return opened;
}

Status AppendedFile::append(std::string_view text) {
  const auto file = reinterpret_cast<HANDLE>(::_get_osfhandle(file_));
  if (!writeAll(file, std::as_bytes(std::span(text)))) {
    return writeError(path_, "cannot add to the file");
  }
  return {};
}

Status AppendedFile::flush() {
  const auto file = reinterpret_cast<HANDLE>(::_get_osfhandle(file_));
  // Flushing asks for another right than appending, where the system is strict.
  if (!::FlushFileBuffers(file) && ::GetLastError() != ERROR_INVALID_FUNCTION &&
      ::GetLastError() != ERROR_ACCESS_DENIED) {
    return writeError(path_, "cannot flush the file");
  }
  return {};
}

}  // namespace clipmill::system
