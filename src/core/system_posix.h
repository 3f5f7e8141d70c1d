// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/result.h"
#include "core/system.h"

/// What the files system_posix*.cc share.
namespace clipmill::system::posix {

/// False where not all could be written; errno has the reason.
bool writeAll(int file, std::span<const std::byte> bytes);

/// Appends what there is to read. False at the end of it.
bool readSome(int file, std::vector<std::byte>& output);

// What differs between Linux and macOS: system_linux.cc, system_macos.cc.

/// An empty file without a name, which programs that are started do not inherit. -1 where there can
/// be none; errno has the reason.
int openUnnamedFile();

/// Makes a pipe that programs that are started do not inherit. False where there can be none; errno
/// has the reason.
bool openPipe(int (&ends)[2]);

/// What a child process is started with.
struct ChildStart {
  const std::filesystem::path& program;
  const std::vector<std::string>& arguments;
  int input = -1;            ///< Descriptor of its standard input.
  int output = -1;           ///< Descriptor of its standard output.
  bool joins_group = false;  ///< Whether it joins the group of this process, or leads its own.
  const ChildLimits& limits;
};

/// Name of the program and its arguments as the system takes them, a null pointer at the end. They
/// point into `start`.
std::vector<char*> argumentsOf(const ChildStart& start);

/// Starts a child under its limits. What it prints on standard error is dropped.
Result<pid_t> startChild(const ChildStart& start);

/// Has the system end this process when the parent ends.
void killWhenEnds(pid_t parent);

}  // namespace clipmill::system::posix
