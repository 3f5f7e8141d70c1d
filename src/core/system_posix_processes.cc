// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system.h"
#include "core/system_posix.h"

namespace clipmill::system {

std::vector<char*> posix::argumentsOf(const ChildStart& start) {
  std::vector<char*> values = {const_cast<char*>(start.program.c_str())};
  for (const std::string& text : start.arguments) values.push_back(const_cast<char*>(text.c_str()));
  values.push_back(nullptr);
  return values;
}

namespace {

// Whether children join the group of this process, whose leader's end is theirs.
bool children_join_group = false;

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

// A file without a name that holds `input`, so that nobody need write while the child reads.
bool holdInput(std::span<const std::byte> input, int& file) {
  file = posix::openUnnamedFile();
  return file >= 0 && posix::writeAll(file, input) && ::lseek(file, 0, SEEK_SET) == 0;
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
    if (is_open && ready > 0) is_open = posix::readSome(output, result.output);
  }
  const int status = endChild(child);
  result.end = !WIFSIGNALED(status)          ? ChildEnd::kExited
               : WTERMSIG(status) == SIGKILL ? ChildEnd::kKilled
                                             : ChildEnd::kSignal;
  result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace

std::uint64_t processId() { return static_cast<std::uint64_t>(::getpid()); }

bool isRunning(std::uint64_t process_id) {
  if (process_id == 0 || process_id > std::numeric_limits<pid_t>::max()) return false;
  return ::kill(static_cast<pid_t>(process_id), 0) == 0 || errno != ESRCH;
}

Result<ChildResult> runChild(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const ChildLimits& limits,
                             std::span<const std::byte> input) {
  // Once started, a child that cannot run may show that by its exit code alone.
  if (::access(program.c_str(), X_OK) != 0) {
    return Error{ErrorCode::kUnreadable, program.string(),
                 std::string("cannot be started: ") + std::strerror(errno), ""};
  }
  Descriptor given, reading, writing;
  int ends[2] = {-1, -1};
  if (!holdInput(input, given.number()) || !posix::openPipe(ends)) {
    return Error{ErrorCode::kUnreadable, program.string(),
                 std::string("has a broken pipe: ") + std::strerror(errno), ""};
  }
  reading.number() = ends[0];
  writing.number() = ends[1];
  CLIPMILL_TRY(const pid_t child,
               posix::startChild({program, arguments, given.number(), writing.number(),
                                  children_join_group, limits}));
  writing.close();
  return watchChild(child, reading.number(), limits);
}

void endWithParent() {
  children_join_group = true;
  const pid_t parent = ::getppid();
  posix::killWhenEnds(parent);
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

}  // namespace clipmill::system
