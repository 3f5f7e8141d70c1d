// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <io.h>

#include "core/system.h"

#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define PSAPI_VERSION 2  // its functions are in kernel32
#include <windows.h>

// After windows.h, on whose types they depend.
#include <psapi.h>
#include <shellapi.h>

#include "core/console.h"
#include "core/to_size.h"
#include "core/utf8_path.h"

namespace clipmill::system {
namespace {

std::atomic<bool> is_interrupted{false};

// A handle that is closed when it goes out of scope.
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

// False where not all could be written; GetLastError() has the reason.
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

// -- Child processes

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

// A console that closes ends the process when this returns.
BOOL WINAPI onConsoleEvent(DWORD event) {
  is_interrupted = true;
  constexpr DWORD kLongest_ms = 4500;
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ::Sleep(kLongest_ms);
  return TRUE;
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

AppendedFile::AppendedFile(AppendedFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

AppendedFile& AppendedFile::operator=(AppendedFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
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

std::uint64_t processId() { return ::GetCurrentProcessId(); }

bool isRunning(std::uint64_t process_id) {
  if (process_id == 0 || process_id > std::numeric_limits<DWORD>::max()) return false;
  const Handle process(::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process_id)));
  if (!process) return ::GetLastError() == ERROR_ACCESS_DENIED;
  return ::WaitForSingleObject(process.get(), 0) == WAIT_TIMEOUT;
}

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

// A write to a closed pipe is an error already.
void ignoreBrokenPipe() {}

void retainMemory() {}

std::vector<std::string> utf8Arguments(int, char**) {
  int count = 0;
  wchar_t** wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; wide && i < count; ++i) arguments.push_back(utf8Of(wide[i]));
  if (wide) ::LocalFree(wide);
  return arguments;
}

void prepareStandardStreams() {
  ::SetConsoleOutputCP(CP_UTF8);
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}

}  // namespace clipmill::system
