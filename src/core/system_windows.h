// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define PSAPI_VERSION 2  // its functions are in kernel32
#include <windows.h>

/// What the files system_windows*.cc share.
namespace clipmill::system::windows {

/// A handle that is closed when it goes out of scope.
class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() { close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  HANDLE get() const { return handle_; }
  HANDLE* slot() { return &handle_; }
  explicit operator bool() const { return handle_ && handle_ != INVALID_HANDLE_VALUE; }
  void close() {
    if (*this) ::CloseHandle(handle_);
    handle_ = nullptr;
  }

 private:
  HANDLE handle_ = nullptr;
};

std::string utf8Of(std::wstring_view wide);
std::wstring wideOf(std::string_view text);

/// The system's text for an error number, in English and on one line.
std::string messageOf(DWORD fault);

/// False where not all could be written; GetLastError() has the reason.
bool writeAll(HANDLE file, std::span<const std::byte> bytes);

}  // namespace clipmill::system::windows
