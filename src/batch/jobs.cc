// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/jobs.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/io.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

fs::path placeOf(const fs::path& path) {
  std::error_code fault;
  const fs::path place = fs::weakly_canonical(path, fault);
  return fault ? path.lexically_normal() : place;
}

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
      return Error{ErrorCode::kUsage, "--name " + pattern, "has a field that is not known",
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

}  // namespace

bool isPlainName(const std::string& name) {
  const fs::path path(name);
  return !path.empty() && path.is_relative() && path.has_filename() && *path.begin() != ".." &&
         path.lexically_normal().generic_string() == name && name != ".";
}

Result<std::vector<BatchJob>> planJobs(std::span<const BatchInput> inputs, const fs::path& out_dir,
                                       const std::string& name_pattern) {
  const fs::path out = placeOf(out_dir);
  std::set<fs::path> places;
  for (const BatchInput& input : inputs) {
    const fs::path place = placeOf(input.path);
    if (!isBelow(place, out)) places.insert(place);
  }
  if (places.empty() && !inputs.empty()) {
    return Error{ErrorCode::kUsage, "--out-dir " + out_dir.string(),
                 "holds all inputs, which would be written over", "choose another folder"};
  }
  std::map<std::string, BatchJob> jobs;
  for (const BatchInput& input : inputs) {
    if (isBelow(placeOf(input.path), out)) continue;
    CLIPMILL_TRY(const std::string name, nameOf(name_pattern, input.relative));
    const BatchJob job{name, input.path, out_dir / name, input.relative.generic_string()};
    if (io::outputFormatOf(job.output) == io::OutputFormat::kNone) {
      return Error{ErrorCode::kUsage, name, "has no extension that can be written",
                   "use .glb, .gltf, .vrm, .vrma or .fbx"};
    }
    if (places.count(placeOf(job.output)) != 0) {
      return Error{ErrorCode::kUsage, job.output.string(), "is an input of this batch too",
                   "choose another --out-dir or --name"};
    }
    const auto [other, is_new] = jobs.try_emplace(name, job);
    if (!is_new) {
      return Error{ErrorCode::kUsage, name,
                   "would be written from both '" + other->second.input.string() + "' and '" +
                       input.path.string() + "'",
                   "give --name a field that tells them apart"};
    }
  }
  std::vector<BatchJob> list;
  for (auto& [name, job] : jobs) list.push_back(std::move(job));
  return list;
}

}  // namespace clipmill::batch
