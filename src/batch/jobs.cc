// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/jobs.h"

#include <algorithm>
#include <map>
#include <set>

#include "batch/canonical_paths.h"
#include "core/file_names.h"
#include "core/utf8_path.h"
#include "io/io.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

bool isBelow(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

Result<std::string> nameOf(const std::string& pattern, const fs::path& relative) {
  const std::map<std::string, std::string> fields = {
      {"dir", relative.parent_path().generic_string()},
      {"stem", relative.stem().string()},
      {"ext", relative.extension().string()},
  };
  std::string name;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', at), pattern.size());
    name.append(pattern, at, open - at);
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find('}', open);
    const auto field = close == std::string::npos
                           ? fields.end()
                           : fields.find(pattern.substr(open + 1, close - open - 1));
    if (field == fields.end()) {
      return Error{ErrorCode::kUsage, "--name " + pattern, "has an unknown field",
                   "use {dir}, {stem} and {ext}"};
    }
    name += field->second;
    at = close + 1;
  }
  // {dir} may be empty.
  const fs::path normal =
      fs::path(name.substr(std::min(name.find_first_not_of('/'), name.size()))).lexically_normal();
  if (!isPlainName(normal.generic_string())) {
    return Error{ErrorCode::kUsage, "--name " + pattern,
                 "makes '" + name + "' of '" + relative.generic_string() +
                     "', which is no file in the output folder",
                 ""};
  }
  return normal.generic_string();
}

// Of names that differ in the case of letters alone, which some file systems take for one, the
// first stays and the others get a number. No number makes a name that another job has by itself.
void numberNames(const fs::path& out_dir, std::vector<BatchJob>& jobs) {
  std::set<std::string> taken;
  std::vector<BatchJob*> later;
  for (BatchJob& job : jobs) {
    if (!taken.insert(smallLetters(job.name)).second) later.push_back(&job);
  }
  for (BatchJob* job : later) {
    const fs::path name = job->name;
    for (int number = 2; !taken.insert(smallLetters(job->name)).second; ++number) {
      const std::string stem = name.stem().string() + "_" + std::to_string(number);
      job->name = (name.parent_path() / (stem + name.extension().string())).generic_string();
    }
    job->output = outputOf(out_dir, job->name);
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const BatchJob& a, const BatchJob& b) { return a.name < b.name; });
}

}  // namespace

fs::path outputOf(const fs::path& out_dir, const std::string& name) {
  return withSlashes(out_dir / name);
}

Result<std::vector<BatchJob>> planJobs(std::span<const BatchInput> inputs, const fs::path& out_dir,
                                       const std::string& name_pattern) {
  Locations locations;
  const fs::path out = locations.of(out_dir);
  std::set<fs::path> input_locations;
  std::vector<const BatchInput*> outside;
  for (const BatchInput& input : inputs) {
    const fs::path location = locations.of(input.path);
    if (isBelow(location, out)) continue;
    input_locations.insert(location);
    outside.push_back(&input);
  }
  if (outside.empty() && !inputs.empty()) {
    return Error{ErrorCode::kUsage, "--out-dir " + out_dir.string(),
                 "contains all inputs, which would be overwritten", "choose another folder"};
  }
  std::map<std::string, BatchJob> jobs;
  for (const BatchInput* input : outside) {
    CLIPMILL_TRY(const std::string name, nameOf(name_pattern, input->relative));
    const BatchJob job{name, input->path, outputOf(out_dir, name),
                       input->relative.generic_string()};
    if (io::outputFormatOf(job.output) == io::OutputFormat::kNone) {
      return Error{ErrorCode::kUsage, name, "has an extension that cannot be written",
                   "use .glb, .gltf, .vrm, .vrma or .fbx"};
    }
    const auto [other, is_new] = jobs.try_emplace(name, job);
    if (!is_new) {
      return Error{ErrorCode::kUsage, name,
                   "would be written from both '" + other->second.input.string() + "' and '" +
                       input->path.string() + "'",
                   "use a field in --name that differs between them"};
    }
  }
  std::vector<BatchJob> list;
  for (auto& [name, job] : jobs) list.push_back(std::move(job));
  numberNames(out_dir, list);
  for (const BatchJob& job : list) {
    if (input_locations.count(locations.of(job.output)) != 0) {
      return Error{ErrorCode::kUsage, job.output.string(), "is an input of this batch too",
                   "choose another --out-dir or --name"};
    }
  }
  return list;
}

}  // namespace clipmill::batch
