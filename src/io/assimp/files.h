// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <assimp/IOSystem.hpp>

#include "core/file.h"

namespace clipmill::io::assimp {

/// The files that were read, and how many bytes may still be. Outlives the FolderFiles, which
/// belongs to the library.
struct FilesRead {
  std::filesystem::path main;    ///< The input itself.
  std::filesystem::path folder;  ///< Nothing outside of it is opened.
  std::uint64_t bytes_left = 0;
  std::vector<std::string> others;  ///< Further files, in the order of their first use.

  /// The file's content; nothing where it is not there, lies elsewhere or is too large.
  std::unique_ptr<Bytes> read(const std::filesystem::path& path);
  bool isInside(const std::filesystem::path& path) const;
};

/// Gives the library files of one folder, whole and read-only.
class FolderFiles : public Assimp::IOSystem {
 public:
  explicit FolderFiles(FilesRead& files) : files_(files) {}
  bool Exists(const char* path) const override;
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* path, const char* mode) override;
  void Close(Assimp::IOStream* stream) override;

 private:
  FilesRead& files_;
};

}  // namespace clipmill::io::assimp
