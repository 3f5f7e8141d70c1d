// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "core/system.h"
#include "core/system_windows.h"
#include "core/utf8_path.h"

namespace clipmill::system {
namespace {

using windows::Handle;
using windows::messageOf;
using windows::wideOf;
using windows::writeAll;

// One argument as CommandLineToArgvW() and the C library read it: backslashes count twice before a
// quotation mark only. cmd.exe does not recognise its options in quotation marks.
void appendQuoted(std::wstring_view argument, std::wstring& line) {
  if (!line.empty()) line += L' ';
  if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring_view::npos) {
    line += argument;
    return;
  }
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t c : argument) {
    if (c == L'"') line.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

// A job ends with all that is in it when its last handle is closed: when this process ends too.
bool limitJob(HANDLE job, const ChildLimits& limits) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION most{};
  DWORD& flags = most.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
          JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  most.ProcessMemoryLimit = static_cast<SIZE_T>(
      std::min<std::uint64_t>(limits.memory_bytes, std::numeric_limits<SIZE_T>::max()));
  constexpr double kTicks = 1e7;  // of 100 ns a second
  if (std::isfinite(limits.seconds) && limits.seconds < 1e8) {
    flags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
    most.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart =
        static_cast<LONGLONG>((limits.seconds + 1.0) * kTicks);
  }
  return ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &most, sizeof most);
}

// The three streams of a child; it inherits these handles and no others.
struct ChildStreams {
  Handle input, output, errors;  // of the child
  Handle given, reading;         // the other ends
};

bool openStreams(ChildStreams& streams) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  if (!::CreatePipe(streams.input.slot(), streams.given.slot(), &inherited, 0)) return false;
  if (!::CreatePipe(streams.reading.slot(), streams.output.slot(), &inherited, 0)) return false;
  ::SetHandleInformation(streams.given.get(), HANDLE_FLAG_INHERIT, 0);
  ::SetHandleInformation(streams.reading.get(), HANDLE_FLAG_INHERIT, 0);
  *streams.errors.slot() = ::CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                         &inherited, OPEN_EXISTING, 0, nullptr);
  return static_cast<bool>(streams.errors);
}

// Started in the job, so that it runs nothing outside of it. False where it cannot be started.
bool startInJob(const std::filesystem::path& program, std::wstring line, HANDLE job,
                const ChildStreams& streams, PROCESS_INFORMATION& started) {
  HANDLE inherited[] = {streams.input.get(), streams.output.get(), streams.errors.get()};
  SIZE_T size = 0;
  ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
  std::vector<std::byte> memory(size);
  auto* attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.data());
  if (!::InitializeProcThreadAttributeList(attributes, 1, 0, &size)) return false;
  ::UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited,
                              sizeof inherited, nullptr, nullptr);
  STARTUPINFOEXW setup{};
  setup.StartupInfo.cb = sizeof setup;
  setup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  setup.StartupInfo.hStdInput = inherited[0];
  setup.StartupInfo.hStdOutput = inherited[1];
  setup.StartupInfo.hStdError = inherited[2];
  setup.lpAttributeList = attributes;
  const BOOL is_started =
      ::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                       CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT, nullptr,
                       nullptr, &setup.StartupInfo, &started);
  const DWORD fault = ::GetLastError();
  ::DeleteProcThreadAttributeList(attributes);
  if (!is_started) {
    ::SetLastError(fault);
    return false;
  }
  if (!::AssignProcessToJobObject(job, started.hProcess)) {
    const DWORD refused = ::GetLastError();
    ::TerminateProcess(started.hProcess, 1);
    ::CloseHandle(started.hThread);
    ::CloseHandle(started.hProcess);
    ::SetLastError(refused);
    return false;
  }
  ::ResumeThread(started.hThread);
  ::CloseHandle(started.hThread);
  return true;
}

// Reads to the end of a pipe or a file, on a thread of its own for a child.
class Collector {
 public:
  void read(HANDLE file, std::uint64_t most) {
    constexpr DWORD kChunk = 1 << 16;
    std::vector<std::byte> chunk(kChunk);
    DWORD count = 0;
    while (!is_over && ::ReadFile(file, chunk.data(), kChunk, &count, nullptr) && count > 0) {
      bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
      is_over = bytes.size() > most;
    }
  }

  std::vector<std::byte> bytes;      // once read() has returned
  std::atomic<bool> is_over{false};  // more than `most` has been read
};

ChildResult watchChild(HANDLE child, HANDLE job, ChildStreams& streams, const ChildLimits& limits,
                       std::span<const std::byte> input) {
  constexpr DWORD kNap_ms = 20;
  const auto start = std::chrono::steady_clock::now();
  ChildResult result;
  Collector collector;
  std::atomic<bool> is_read{false};
  // A child that ends, or is ended, closes its ends of both pipes, and so ends these threads.
  std::thread writer([&] {
    writeAll(streams.given.get(), input);
    streams.given.close();
  });
  std::thread reader([&] {
    collector.read(streams.reading.get(), limits.output_bytes);
    is_read = true;
  });
  bool is_ended = false;
  while (!is_ended) {
    is_ended = ::WaitForSingleObject(child, is_read ? kNap_ms : kNap_ms / 2) == WAIT_OBJECT_0 &&
               is_read && !collector.is_over;
    if (is_ended) break;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const bool is_late = taken.count() >= limits.seconds;
    if (!is_late && !interrupted() && !collector.is_over) {
      if (::WaitForSingleObject(child, 0) == WAIT_OBJECT_0) ::Sleep(1);
      continue;
    }
    result.end = interrupted() ? ChildEnd::kInterrupted
                 : is_late     ? ChildEnd::kTimeOut
                               : ChildEnd::kTooMuchOutput;
    ::TerminateJobObject(job, 1);
    break;
  }
  // What the child started may still hold the pipes.
  ::TerminateJobObject(job, 1);
  writer.join();
  reader.join();
  if (result.end != ChildEnd::kExited) return result;
  DWORD code = 0;
  ::GetExitCodeProcess(child, &code);
  constexpr DWORD kFirstException = 0xC0000000;
  result.end = code >= kFirstException ? ChildEnd::kSignal : ChildEnd::kExited;
  result.code = static_cast<int>(code);
  result.output = std::move(collector.bytes);
  return result;
}

}  // namespace

std::uint64_t processId() { return ::GetCurrentProcessId(); }

bool isRunning(std::uint64_t process_id) {
  if (process_id == 0 || process_id > std::numeric_limits<DWORD>::max()) return false;
  const Handle process(::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process_id)));
  if (!process) return ::GetLastError() == ERROR_ACCESS_DENIED;
  return ::WaitForSingleObject(process.get(), 0) == WAIT_TIMEOUT;
}

// A child may write files: Windows has no limit for that.
Result<ChildResult> runChild(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const ChildLimits& limits,
                             std::span<const std::byte> input) {
  const auto refused = [&](const char* what) {
    return Error{ErrorCode::kUnreadable, utf8Text(program), what + messageOf(::GetLastError()), ""};
  };
  ChildStreams streams;
  const Handle job(::CreateJobObjectW(nullptr, nullptr));
  if (!job || !limitJob(job.get(), limits)) return refused("cannot be limited: ");
  if (!openStreams(streams)) return refused("has a broken pipe: ");
  std::wstring line;
  appendQuoted(program.native(), line);
  for (const std::string& argument : arguments) appendQuoted(wideOf(argument), line);
  PROCESS_INFORMATION started{};
  if (!startInJob(program, std::move(line), job.get(), streams, started)) {
    return refused("cannot be started: ");
  }
  const Handle child(started.hProcess);
  streams.input.close();
  streams.output.close();
  ChildResult result = watchChild(child.get(), job.get(), streams, limits, input);
  result.process_id = started.dwProcessId;
  return result;
}

// The job of runChild() ends it: its last handle is the parent's.
void endWithParent() {}

void endAfter(double seconds) {
  constexpr double kLongest_s = 1e8;
  const std::chrono::duration<double> time(std::clamp(seconds, 1.0, kLongest_s));
  std::thread([time] {
    std::this_thread::sleep_for(time);
    constexpr UINT kTimeOut = 124;
    ::TerminateProcess(::GetCurrentProcess(), kTimeOut);
  }).detach();
}

std::vector<std::byte> readStandardInput() {
  Collector collector;
  collector.read(::GetStdHandle(STD_INPUT_HANDLE), std::numeric_limits<std::uint64_t>::max());
  return std::move(collector.bytes);
}

}  // namespace clipmill::system
