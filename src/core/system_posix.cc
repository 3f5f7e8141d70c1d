// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <fcntl.h>

#include "core/console.h"
#include "core/system.h"
#include "core/to_size.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Sanitizers reserve terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLIPMILL_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLIPMILL_SANITIZED
#endif
#endif

namespace clipmill::system {
namespace {

// Written by a signal handler and read by all threads.
std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

// Whether children join the group of this process, whose leader's end is theirs.
bool children_join_group = false;

void onInterrupt(int) { is_interrupted = true; }

Error writeError(const std::filesystem::path& path, const char* what) {
  const int code = errno;
  const char* remedy = code == ENOSPC                      ? "free some space"
                       : code == EACCES || code == EROFS   ? "choose a folder that can be written"
                       : code == ENOENT || code == ENOTDIR ? "create the folder first"
                                                           : "";
  return {ErrorCode::kWrite, path.string(), std::string(what) + ": " + std::strerror(code), remedy};
}

// False where not all could be written; errno has the reason.
bool writeAll(int file, std::span<const std::byte> bytes) {
  const std::byte* next = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    const ssize_t count = ::write(file, next, left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    left -= toSize(count);
  }
  return true;
}

// -- Child processes

using Clock = std::chrono::steady_clock;

// A file descriptor that is closed when it goes out of scope.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int& number() { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

// Set from outside, right after the program has started: it need not be asked to help.
void limitChild(pid_t child, const ChildLimits& limits) {
  const auto set = [&](__rlimit_resource what, rlim_t most) {
    rlimit limit{};
    if (::prlimit(child, what, nullptr, &limit) == 0) most = std::min(most, limit.rlim_max);
    limit = {most, most};
    ::prlimit(child, what, &limit, nullptr);
  };
  set(RLIMIT_CORE, 0);
  if (!limits.may_write_files) set(RLIMIT_FSIZE, 0);
  // It ends by itself if this process is killed and cannot end it.
  if (std::isfinite(limits.seconds)) set(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
#ifndef CLIPMILL_SANITIZED
  set(RLIMIT_AS, limits.memory_bytes);
#endif
}

// This process's environment, but for the choice of the C library's elementary functions: those
// without fused multiply-add exist on every processor, so that the child's results do not depend on
// it (glibc manual, "Hardware Capability Tunables").
std::vector<char*> childEnvironment() {
  static char plain_functions[] = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2";
  std::vector<char*> environment;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    if (!std::string_view(*entry).starts_with("GLIBC_TUNABLES=")) environment.push_back(*entry);
  }
  environment.push_back(plain_functions);
  environment.push_back(nullptr);
  return environment;
}

Result<pid_t> startChild(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments, int input, int output) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A group of its own, so that it can be ended with all that it started.
  const int group = children_join_group ? 0 : POSIX_SPAWN_SETPGROUP;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(group | POSIX_SPAWN_SETSIGDEF));
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::sigaddset(&defaults, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = 0;
  const int fault = ::posix_spawn(&child, program.c_str(), &files, &attributes, argv.data(),
                                  childEnvironment().data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (fault != 0) {
    return Error{ErrorCode::kUnreadable, program.string(),
                 std::string("cannot be started: ") + std::strerror(fault), ""};
  }
  return child;
}

// A file without a name that holds `input`, so that nobody need write while the child reads.
bool holdInput(std::span<const std::byte> input, int& file) {
  file = ::memfd_create("input", MFD_CLOEXEC);
  while (file >= 0 && !input.empty()) {
    const ssize_t count = ::write(file, input.data(), input.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    input = input.subspan(toSize(count));
  }
  return file >= 0 && ::lseek(file, 0, SEEK_SET) == 0;
}

// Appends what there is to read. False at the end of it.
bool readSome(int file, std::vector<std::byte>& output) {
  constexpr std::size_t kChunk = 1 << 16;
  const std::size_t size = output.size();
  output.resize(size + kChunk);
  const ssize_t count = ::read(file, output.data() + size, kChunk);
  output.resize(size + toSize(std::max<ssize_t>(count, 0)));
  return count > 0 || (count < 0 && errno == EINTR);
}

// True when the child has ended. It stays known until endChild(), so that its group keeps its
// number.
bool hasEnded(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0
             ? info.si_pid == child
             : errno != EINTR;
}

// Ends the child and what it has started, as far as any of that still runs.
int endChild(pid_t child) {
  ::kill(children_join_group ? child : -child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Reads to the end of the output, then waits for the child. Short naps, so that a signal to this
// process is noticed.
ChildResult watchChild(pid_t child, int output, const ChildLimits& limits) {
  constexpr int kNap_ms = 100, kShortNap_ms = 2;
  const auto start = Clock::now();
  ChildResult result;
  result.process_id = static_cast<std::uint64_t>(child);
  bool is_open = true;
  while (is_open || !hasEnded(child)) {
    const std::chrono::duration<double> taken = Clock::now() - start;
    const bool is_late = taken.count() >= limits.seconds;
    if (is_late || interrupted() || result.output.size() > limits.output_bytes) {
      endChild(child);
      result.end = interrupted() ? ChildEnd::kInterrupted
                   : is_late     ? ChildEnd::kTimeOut
                                 : ChildEnd::kTooMuchOutput;
      result.output.clear();
      return result;
    }
    pollfd waiting{output, POLLIN, 0};
    const int ready = ::poll(&waiting, is_open ? 1 : 0, is_open ? kNap_ms : kShortNap_ms);
    if (is_open && ready > 0) is_open = readSome(output, result.output);
  }
  const int status = endChild(child);
  result.end = WIFSIGNALED(status) ? ChildEnd::kSignal : ChildEnd::kExited;
  result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

Status writeNew(const std::filesystem::path& path, std::span<const std::byte> bytes,
                bool is_flushed) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return writeError(path, "cannot create the file");
  bool failed = !writeAll(file, bytes);
  if (is_flushed && !failed && ::fsync(file) != 0 && errno != EINVAL) failed = true;
  if (failed) {
    const Error error = writeError(path, "cannot write the file");
    ::close(file);
    ::unlink(path.c_str());
    return error;
  }
  if (::close(file) != 0) {
    const Error error = writeError(path, "cannot finish the file");
    ::unlink(path.c_str());
    return error;
  }
  return {};
}

}  // namespace

Status writeNewFileAndFlush(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return writeNew(path, bytes, true);
}

Status writeNewFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return writeNew(path, bytes, false);
}

std::optional<FileLook> lookAt(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  return FileLook{static_cast<std::uint64_t>(found.st_size),
                  found.st_mtim.tv_sec * kSecond_ns + found.st_mtim.tv_nsec};
}

Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return writeError(to, "cannot rename the temporary file");
  return {};
}

AppendedFile::~AppendedFile() {
  if (file_ >= 0) ::close(file_);
}

AppendedFile::AppendedFile(AppendedFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

AppendedFile& AppendedFile::operator=(AppendedFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

Result<AppendedFile> AppendedFile::open(const std::filesystem::path& path) {
  AppendedFile opened;
  opened.path_ = path;
  opened.file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened.file_ < 0) return writeError(path, "cannot open the file");
  return opened;
}

Status AppendedFile::append(std::string_view text) {
  if (!writeAll(file_, std::as_bytes(std::span(text)))) {
    return writeError(path_, "cannot add to the file");
  }
  return {};
}

Status AppendedFile::flush() {
  // EINVAL: what it is on cannot be flushed.
  if (::fsync(file_) != 0 && errno != EINVAL) return writeError(path_, "cannot flush the file");
  return {};
}

std::uint64_t processId() { return static_cast<std::uint64_t>(::getpid()); }

std::filesystem::path executablePath() {
  std::error_code fault;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? std::filesystem::path() : path;
}

std::uint64_t peakMemoryBytes() {
  // getrusage() counts what the parent held when it started this process.
  if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    unsigned long long kibibytes = 0;
    bool is_found = false;
    while (!is_found && std::fgets(line, sizeof line, status)) {
      is_found = std::sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1;
    }
    std::fclose(status);
    if (is_found) return kibibytes * 1024;
  }
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

void expectToFill(void* start, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  // It is advice: a system that refuses it works as before.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

bool isStderrTerminal() { return ::isatty(STDERR_FILENO) == 1; }

int stderrColumns() {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

void watchForInterrupt() {
  struct sigaction action {};
  action.sa_handler = onInterrupt;
  ::sigemptyset(&action.sa_mask);
  // Schedulers of clusters announce the end of the time they give with SIGUSR1.
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaction(number, &action, nullptr);
}

bool interrupted() { return is_interrupted; }

bool isRunning(std::uint64_t process_id) {
  if (process_id == 0 || process_id > std::numeric_limits<pid_t>::max()) return false;
  return ::kill(static_cast<pid_t>(process_id), 0) == 0 || errno != ESRCH;
}

Result<ChildResult> runChild(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const ChildLimits& limits,
                             std::span<const std::byte> input) {
  Descriptor given, reading, writing;
  int ends[2] = {-1, -1};
  if (!holdInput(input, given.number()) || ::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{ErrorCode::kUnreadable, program.string(),
                 std::string("has a broken pipe: ") + std::strerror(errno), ""};
  }
  reading.number() = ends[0];
  writing.number() = ends[1];
  CLIPMILL_TRY(const pid_t child, startChild(program, arguments, given.number(), writing.number()));
  limitChild(child, limits);
  writing.close();
  return watchChild(child, reading.number(), limits);
}

void endWithParent() {
  children_join_group = true;
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that was killed before sends no signal. Then nobody reads our standard output.
  pollfd output{STDOUT_FILENO, 0, 0};
  const bool is_unread = ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
  if (::getppid() != parent || is_unread) ::_exit(1);
}

void endAfter(double seconds) {
  constexpr double kLongest_s = 1e8;  // Three years; alarm() counts in 32 bits.
  const double whole_s = std::ceil(std::clamp(seconds, 1.0, kLongest_s));
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) == 0) {
    limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(whole_s));
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  sigset_t clocks;
  ::sigemptyset(&clocks);
  for (int number : {SIGALRM, SIGXCPU}) {
    std::signal(number, SIG_DFL);
    ::sigaddset(&clocks, number);
  }
  ::pthread_sigmask(SIG_UNBLOCK, &clocks, nullptr);
  ::alarm(static_cast<unsigned>(whole_s));
}

std::vector<std::byte> readStandardInput() {
  std::vector<std::byte> bytes;
  while (readSome(STDIN_FILENO, bytes)) {
  }
  return bytes;
}

void ignoreBrokenPipe() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void retainMemory() {
#ifdef __GLIBC__
  constexpr int kMaxKept_bytes = 256 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kMaxKept_bytes);
  constexpr int kLargest_bytes = 32 << 20;  // Larger arrays have pages of their own.
  ::mallopt(M_MMAP_THRESHOLD, kLargest_bytes);
#endif
}

std::vector<std::string> utf8Arguments(int count, char** values) {
  return {values + std::min(count, 1), values + count};
}

void prepareStandardStreams() {}

}  // namespace clipmill::system
