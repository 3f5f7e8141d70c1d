// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/leftovers.h"

#include <map>
#include <set>
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

}  // namespace

std::size_t removeLeftovers(const Plan& plan, std::size_t shard) {
  std::size_t count = 0;
  for (const auto& [folder, writers] : writersOf(plan)) {
    if (!hasShard(writers, shard)) continue;
    for (const fs::path& entry : pathsIn(folder)) {
      const auto target = targetOfTemporary(entry.filename().string());
      if (!target || shardOf(*target, writers) != shard) continue;
      std::error_code fault;
      count += fs::remove(entry, fault);
    }
  }
  return count;
}

std::size_t removeLeftovers(std::span<const BatchJob> jobs, const fs::path& out_dir) {
  Plan plan;
  plan.out_dir = out_dir;
  for (const BatchJob& job : jobs) plan.jobs.push_back({job.name, "", "", 0, 1});
  std::size_t count = 0;
  for (const auto& [folder, writers] : writersOf(plan)) {
    for (const fs::path& entry : pathsIn(folder)) {
      const std::string name = entry.filename().string();
      const auto target = targetOfTemporary(name);
      const auto process = processOfTemporary(name);
      if (!target || !process || shardOf(*target, writers) != 1) continue;
      if (system::isRunning(*process)) continue;
      std::error_code fault;
      count += fs::remove(entry, fault);
    }
  }
  return count;
}

}  // namespace clipmill::batch
