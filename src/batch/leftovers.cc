// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/leftovers.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/record.h"
#include "core/system.h"
#include "core/temporary_name.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

// What a job may write into one folder starts with `stem`.
struct Writer {
  std::string stem;
  std::size_t shard = 0;
};

using Writers = std::map<fs::path, std::vector<Writer>>;  // by folder

Writers writersOf(const Plan& plan) {
  Writers writers;
  for (const PlannedJob& job : plan.jobs) {
    const fs::path output = plan.out_dir / job.name;
    writers[output.parent_path()].push_back({output.stem().string(), job.shard});
    const fs::path record = recordPath(plan.out_dir, job.name);
    writers[record.parent_path()].push_back({record.stem().string(), job.shard});
  }
  return writers;
}

// The shard that writes `target`; variants and side files carry the stem of their output, of which
// the longest that fits is meant. 0 for none.
std::size_t shardOf(std::string_view target, const std::vector<Writer>& writers) {
  std::size_t shard = 0, longest = 0;
  for (const Writer& writer : writers) {
    if (!target.starts_with(writer.stem) || writer.stem.size() < longest) continue;
    // With two formats of one clip, which one was being written is unknown.
    shard = writer.stem.size() == longest && shard != writer.shard ? 0 : writer.shard;
    longest = writer.stem.size();
  }
  return shard;
}

bool hasShard(const std::vector<Writer>& writers, std::size_t shard) {
  for (const Writer& writer : writers) {
    if (writer.shard == shard) return true;
  }
  return false;
}

std::vector<fs::path> pathsIn(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    entries.push_back(at->path());
  }
  return entries;
}

// Of a temporary file whose process does not run on this machine; nothing for other files.
std::optional<std::string> targetOfEnded(const fs::path& entry) {
  const std::string name = entry.filename().string();
  const auto process = processOfTemporary(name);
  if (!process || system::isRunning(*process)) return std::nullopt;
  return targetOfTemporary(name);
}

// Nobody wrote to it for longer than any write takes, whatever the clocks of machines differ by.
bool isAbandoned(const fs::path& entry) {
  std::error_code fault;
  const fs::file_time_type written = fs::last_write_time(entry, fault);
  return !fault && written < fs::file_time_type::clock::now() - std::chrono::hours(1);
}

bool wasRemoved(const fs::path& entry) {
  std::error_code fault;
  return fs::remove(entry, fault);
}

}  // namespace

std::size_t removeLeftovers(const Plan& plan, std::size_t shard) {
  std::size_t count = 0;
  for (const auto& [folder, writers] : writersOf(plan)) {
    if (!hasShard(writers, shard)) continue;
    for (const fs::path& entry : pathsIn(folder)) {
      const auto target = targetOfTemporary(entry.filename().string());
      if (!target || shardOf(*target, writers) != shard) continue;
      count += wasRemoved(entry);
    }
  }
  return count;
}

std::size_t removeLeftovers(std::span<const BatchJob> jobs, const fs::path& out_dir,
                            std::span<const fs::path> side_files) {
  Plan plan;
  plan.out_dir = out_dir;
  for (const BatchJob& job : jobs) plan.jobs.push_back({job.name, "", "", 0, 1});
  std::size_t count = 0;
  for (const auto& [folder, writers] : writersOf(plan)) {
    for (const fs::path& entry : pathsIn(folder)) {
      const auto target = targetOfEnded(entry);
      if (!target || (shardOf(*target, writers) != 1 && !isAbandoned(entry))) continue;
      count += wasRemoved(entry);
    }
  }
  for (const fs::path& file : side_files) {
    const fs::path folder = file.parent_path();
    for (const fs::path& entry : pathsIn(folder.empty() ? fs::path(".") : folder)) {
      if (targetOfEnded(entry) == file.filename().string()) count += wasRemoved(entry);
    }
  }
  return count;
}

}  // namespace clipmill::batch
