// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "batch/work.h"

namespace clipmill::batch {

/// How jobs run in child processes.
struct Isolation {
  std::filesystem::path program;  ///< Calls runRequest() if run with kChildCommand INPUT OUTPUT.
  std::optional<double> timeout_s;
  std::optional<std::uint64_t> max_memory_bytes;  ///< Address space.
};
inline constexpr const char* kChildCommand = "batch-child";

/// The result of a job in a child process.
struct IsolatedWork {
  BatchRecord record;
  std::uint64_t peak_memory_bytes = 0;  ///< Of the child; 0 if it sent no response.
};

/// Runs doJob() in a child process. A child that crashes, times out or exceeds its memory is an
/// error of this job (kInternal, kLimit); its temporary files are removed.
IsolatedWork doJobInChild(const BatchJob& job, const pipeline::Recipe& recipe,
                          const WorkSettings& settings, const Isolation& isolation);

/// The child's part: runs the job that `request` (its standard input) describes. Returns the
/// response for its standard output. Error: kUsage for a text that is no request.
Result<std::string> runRequest(const std::filesystem::path& input,
                               const std::filesystem::path& output, std::string_view request);

}  // namespace clipmill::batch
