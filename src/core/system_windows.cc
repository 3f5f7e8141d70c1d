// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/system_windows.h"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include <fcntl.h>
#include <io.h>
// After windows.h, on whose types they depend.
#include <psapi.h>
#include <shellapi.h>

#include "core/console.h"
#include "core/system.h"
#include "core/to_size.h"

namespace clipmill::system {
namespace windows {

std::string utf8Of(std::wstring_view wide) {
  const int count = static_cast<int>(wide.size());
  const int size =
      ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), count, nullptr, 0, nullptr, nullptr);
  std::string text(toSize(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), count, text.data(), size, nullptr, nullptr);
  return text;
}

std::wstring wideOf(std::string_view text) {
  const int count = static_cast<int>(text.size());
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), count, nullptr, 0);
  std::wstring wide(toSize(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), count, wide.data(), size);
  return wide;
}

std::string messageOf(DWORD fault) {
  wchar_t text[512];
  const DWORD length =
      ::FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, fault,
                       MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), text,
                       static_cast<DWORD>(std::size(text)), nullptr);
  std::wstring_view line(text, length);
  while (!line.empty() && (line.back() <= L' ' || line.back() == L'.')) line.remove_suffix(1);
  return line.empty() ? "system error " + std::to_string(fault) : utf8Of(line);
}

bool writeAll(HANDLE file, std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  while (!bytes.empty()) {
    DWORD count = 0;
    const auto part = static_cast<DWORD>(std::min(bytes.size(), kMost));
    if (!::WriteFile(file, bytes.data(), part, &count, nullptr)) return false;
    if (count == 0) {
      ::SetLastError(ERROR_DISK_FULL);
      return false;
    }
    bytes = bytes.subspan(count);
  }
  return true;
}

}  // namespace windows

namespace {

std::atomic<bool> is_interrupted{false};

// A console that closes ends the process when this returns.
BOOL WINAPI onConsoleEvent(DWORD event) {
  is_interrupted = true;
  constexpr DWORD kLongest_ms = 4500;
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ::Sleep(kLongest_ms);
  return TRUE;
}

}  // namespace

std::filesystem::path executablePath() {
  std::wstring name(MAX_PATH, L'\0');
  constexpr std::size_t kLongest = 1 << 15;
  while (name.size() <= kLongest) {
    const DWORD length =
        ::GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
    if (length == 0) return {};
    if (length < name.size()) return name.substr(0, length);
    name.resize(2 * name.size());
  }
  return {};
}

std::uint64_t peakMemoryBytes() {
  PROCESS_MEMORY_COUNTERS counters{};
  return ::GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters)
             ? counters.PeakWorkingSetSize
             : 0;
}

void expectToFill(void*, std::size_t) {}

bool isStderrTerminal() { return ::_isatty(::_fileno(stderr)) != 0; }

int stderrColumns() {
  constexpr int kUsual = 80;
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (!::GetConsoleScreenBufferInfo(::GetStdHandle(STD_ERROR_HANDLE), &info)) return kUsual;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 0 ? columns : kUsual;
}

void watchForInterrupt() { ::SetConsoleCtrlHandler(onConsoleEvent, TRUE); }

bool interrupted() { return is_interrupted; }

// A write to a closed pipe is an error already.
void ignoreBrokenPipe() {}

void retainMemory() {}

void returnMemory() {}

std::vector<std::string> utf8Arguments(int, char**) {
  int count = 0;
  wchar_t** wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; wide && i < count; ++i) arguments.push_back(windows::utf8Of(wide[i]));
  if (wide) ::LocalFree(wide);
  return arguments;
}

void prepareStandardStreams() {
  ::SetConsoleOutputCP(CP_UTF8);
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}

}  // namespace clipmill::system
