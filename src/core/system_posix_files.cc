// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system.h"
#include "core/system_posix.h"
#include "core/to_size.h"

namespace clipmill::system {
namespace posix {

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

bool readSome(int file, std::vector<std::byte>& output) {
  constexpr std::size_t kChunk = 1 << 16;
  const std::size_t size = output.size();
  output.resize(size + kChunk);
  const ssize_t count = ::read(file, output.data() + size, kChunk);
  output.resize(size + toSize(std::max<ssize_t>(count, 0)));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace posix

namespace {

using posix::writeAll;

Error writeError(const std::filesystem::path& path, const char* what) {
  const int code = errno;
  const char* remedy = code == ENOSPC                      ? "free some space"
                       : code == EACCES || code == EROFS   ? "choose a folder that can be written"
                       : code == ENOENT || code == ENOTDIR ? "create the folder first"
                                                           : "";
  return {ErrorCode::kWrite, path.string(), std::string(what) + ": " + std::strerror(code), remedy};
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
#ifdef __APPLE__
  const timespec changed = found.st_mtimespec;
#else
  const timespec changed = found.st_mtim;
#endif
  return FileLook{static_cast<std::uint64_t>(found.st_size),
                  changed.tv_sec * kSecond_ns + changed.tv_nsec};
}

Status renameOver(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return writeError(to, "cannot rename the temporary file");
  return {};
}

AppendedFile::~AppendedFile() {
  if (file_ >= 0) ::close(file_);
}

Result<AppendedFile> AppendedFile::open(const std::filesystem::path& path) {
  AppendedFile opened;
  opened.path_ = path;
  opened.file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened.file_ < 0) return writeError(path, "cannot open the file");
  return opened;
}

Status AppendedFile::append(std::string_view text) {
  if (!writeAll(file_, std::as_bytes(std::span(text.data(), text.size())))) {
    return writeError(path_, "cannot add to the file");
  }
  return {};
}

Status AppendedFile::flush() {
  // EINVAL: what it is on cannot be flushed.
  if (::fsync(file_) != 0 && errno != EINVAL) return writeError(path_, "cannot flush the file");
  return {};
}

std::vector<std::byte> readStandardInput() {
  std::vector<std::byte> bytes;
  while (posix::readSome(STDIN_FILENO, bytes)) {
  }
  return bytes;
}

}  // namespace clipmill::system
