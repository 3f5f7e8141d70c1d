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

/// How jobs are done in processes of their own.
struct Isolation {
  std::filesystem::path program;  ///< Calls answerOrder(), given kOrderCommand, INPUT and OUTPUT.
  std::optional<double> longest_s;
  std::optional<std::uint64_t> most_memory_bytes;  ///< Of address space.
};
inline constexpr const char* kOrderCommand = "batch-order";

/// What a process of its own made of a job.
struct IsolatedWork {
  BatchRecord record;
  std::uint64_t peak_memory_bytes = 0;  ///< Of that process; 0 where it did not live to tell.
};

/// doJob() in a child process. A child that crashes, takes too long or needs too much memory is an
/// error of this job (kInternal, kLimit), and nothing is left of what it had begun to write.
IsolatedWork doJobInChild(const BatchJob& job, const Recipe& recipe, const WorkSettings& settings,
                          const Isolation& isolation);

/// The child's part: does what `order`, its standard input, asks for, and returns what it has to
/// say on its standard output. Error: kUsage for what is no order.
Result<std::string> answerOrder(const std::filesystem::path& input,
                                const std::filesystem::path& output, std::string_view order);

}  // namespace clipmill::batch
