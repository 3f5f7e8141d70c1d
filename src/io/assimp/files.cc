// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/assimp/files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <assimp/IOStream.hpp>

namespace clipmill::io::assimp {
namespace {

class BytesStream : public Assimp::IOStream {
 public:
  explicit BytesStream(Bytes bytes) : bytes_(std::move(bytes)) {}

  std::size_t Read(void* to, std::size_t size, std::size_t count) override {
    if (size == 0) return 0;
    const std::size_t whole = std::min(count, (bytes_.size() - at_) / size);
    if (whole > 0) std::memcpy(to, bytes_.data() + at_, whole * size);
    at_ += whole * size;
    return whole;
  }
  std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override {
    // Offsets from the end count backwards, as the library's own streams have it.
    const std::size_t base = origin == aiOrigin_CUR ? at_ : 0;
    if (offset > bytes_.size() - base) return AI_FAILURE;
    at_ = origin == aiOrigin_END ? bytes_.size() - offset : base + offset;
    return AI_SUCCESS;
  }
  std::size_t Tell() const override { return at_; }
  std::size_t FileSize() const override { return bytes_.size(); }
  void Flush() override {}

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace

bool FilesRead::isInside(const std::filesystem::path& path) const {
  std::error_code fault;
  const auto real = std::filesystem::weakly_canonical(path, fault);
  if (fault) return false;
  const auto home = std::filesystem::weakly_canonical(folder, fault);
  if (fault) return false;
  const auto relative = real.lexically_relative(home);
  return !relative.empty() && *relative.begin() != "..";
}

std::unique_ptr<Bytes> FilesRead::read(const std::filesystem::path& path) {
  const bool is_main = path == main;
  if (!is_main && !isInside(path)) return nullptr;
  auto bytes = readFile(path, bytes_left);
  if (!bytes) return nullptr;
  bytes_left -= bytes->size();
  const std::string name = path.lexically_normal().string();
  if (!is_main && std::find(others.begin(), others.end(), name) == others.end()) {
    others.push_back(name);
  }
  return std::make_unique<Bytes>(std::move(*bytes));
}

bool FolderFiles::Exists(const char* path) const {
  std::error_code fault;
  return std::filesystem::is_regular_file(path, fault) &&
         (path == files_.main || files_.isInside(path));
}

Assimp::IOStream* FolderFiles::Open(const char* path, const char* mode) {
  if (mode && std::strpbrk(mode, "wa+")) return nullptr;
  auto bytes = files_.read(path);
  return bytes ? new BytesStream(std::move(*bytes)) : nullptr;
}

void FolderFiles::Close(Assimp::IOStream* stream) { delete stream; }

}  // namespace clipmill::io::assimp
