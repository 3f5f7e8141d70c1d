// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/file.h"

#include <fstream>
#include <string>

#include "core/reserve.h"
#include "core/system.h"
#include "core/temporary_name.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Renaming over a device or pipe would remove it from the system.
bool isDeviceOrPipe(const std::filesystem::path& path) {
  std::error_code fault;
  const auto type = std::filesystem::status(path, fault).type();
  return type == std::filesystem::file_type::character ||
         type == std::filesystem::file_type::block || type == std::filesystem::file_type::fifo;
}

Status writeInto(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) return Error{ErrorCode::kWrite, path.generic_string(), "cannot be written", ""};
  return {};
}

// The file that a link leads to; renaming over the link would remove it, and /dev/stdout is one.
std::filesystem::path linkedFile(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_symlink(path, fault)) return path;
  const std::filesystem::path file = std::filesystem::canonical(path, fault);
  return fault ? path : file;
}

Status replaceBy(Status (*write)(const std::filesystem::path&, std::span<const std::byte>),
                 const std::filesystem::path& link, std::span<const std::byte> bytes) {
  if (isDeviceOrPipe(link)) return writeInto(link, bytes);
  const std::filesystem::path path = linkedFile(link);
  const std::filesystem::path temporary = temporaryBeside(path);
  if (Status written = write(temporary, bytes); !written) {
    Error error = written.error();
    error.location = path.generic_string();
    return error;
  }
  Status renamed = system::renameOver(temporary, path);
  if (!renamed) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }
  return renamed;
}

}  // namespace

Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t max_bytes) {
  std::error_code fault;
  const auto status = std::filesystem::status(path, fault);
  if (!std::filesystem::exists(status)) {
    return Error{ErrorCode::kNotFound, path.generic_string(), "no such file", ""};
  }
  if (std::filesystem::is_directory(status)) {
    return Error{ErrorCode::kUnreadable, path.generic_string(), "is a directory, not a file", ""};
  }
  // Opening a pipe would wait for a writer, and a device has no end.
  if (!std::filesystem::is_regular_file(status)) {
    return Error{ErrorCode::kUnreadable, path.generic_string(), "is not a regular file", ""};
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{ErrorCode::kUnreadable, path.generic_string(), "cannot be opened", ""};
  const std::uint64_t size = std::filesystem::file_size(path, fault);
  if (fault)
    return Error{ErrorCode::kUnreadable, path.generic_string(), "has no readable size", ""};
  if (size > max_bytes) {
    return Error{ErrorCode::kLimit, path.generic_string(),
                 "is " + std::to_string(size) + " bytes long, over the limit of " +
                     std::to_string(max_bytes),
                 "raise --max-file-mb if the file is meant to be that large"};
  }
  Bytes bytes;
  reserveToFill(bytes, toSize(size));
  bytes.resize(toSize(size));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uint64_t>(stream.gcount()) != size) {
    return Error{ErrorCode::kUnreadable, path.generic_string(), "could not be read to its end", ""};
  }
  return bytes;
}

Status writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return replaceBy(system::writeNewFileAndFlush, path, bytes);
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view text) {
  return writeFileAtomically(path, asBytes(text));
}

Status replaceFile(const std::filesystem::path& path, std::string_view text) {
  return replaceBy(system::writeNewFile, path, asBytes(text));
}

void removeTemporaries(const std::filesystem::path& folder, std::uint64_t process_id) {
  std::vector<std::filesystem::path> found;
  std::error_code fault;
  for (std::filesystem::directory_iterator at(folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    if (isTemporaryOf(at->path().filename().string(), process_id)) found.push_back(at->path());
  }
  for (const std::filesystem::path& path : found) std::filesystem::remove(path, fault);
}

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> asBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace clipmill
