// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/manifest.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/file_names.h"
#include "core/hash.h"
#include "core/text.h"
#include "pipeline/report.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Raised when plans of before cannot be read any more.
constexpr int kPlanSchema = 1;
constexpr std::uint64_t kMaxPlanBytes = std::uint64_t{1} << 30;
constexpr const char* kPlanFile = "plan.json";
constexpr const char* kManifestFile = "manifest.jsonl";
constexpr const char* kRecipeFile = "recipe.toml";

constexpr auto kReplace = json::error_handler_t::replace;

std::string manifestText(const Plan& plan) {
  std::string text;
  for (const PlannedJob& job : plan.jobs) {
    const json line = {{"name", job.name},
                       {"input", job.input},
                       {"relative", job.relative},
                       {"cost", job.cost},
                       {"shard", job.shard}};
    text += line.dump(-1, ' ', false, kReplace) + '\n';
  }
  return text;
}

json headOf(const Plan& plan) {
  return {{"schema", kPlanSchema},
          {"version", plan.version},
          {"config_hash", plan.config_hash},
          {"manifest_hash", hashHex(asBytes(manifestText(plan)))},
          {"recipe_hash", hashHex(asBytes(plan.recipe))},
          {"shards", plan.shards},
          {"files", plan.jobs.size()},
          {"out_dir", plan.out_dir.generic_string()},
          {"clips", plan.clips},
          {"set", plan.assignments}};
}

// Identifies a plan; the path of its root is no part of it.
std::string hashOf(const json& head) {
  return hashHex(asBytes(head.dump(-1, ' ', false, kReplace)));
}

json fullHeadOf(const Plan& plan) {
  json head = headOf(plan);
  head["plan_hash"] = hashOf(head);
  head["root"] = plan.root.generic_string();
  return head;
}

// JSON cannot hold other names.
bool isUtf8(const std::string& text) {
  try {
    return !json(text).dump().empty();
  } catch (const json::exception&) {
    return false;
  }
}

Status checkNames(const Plan& plan) {
  std::vector<std::string> names = {plan.root.string(), plan.out_dir.string()};
  for (const PlannedJob& job : plan.jobs)
    names.insert(names.end(), {job.name, job.input, job.relative});
  for (const std::string& name : names) {
    if (isUtf8(name)) continue;
    return Error{ErrorCode::kUnsupported, printable(name), "is not a UTF-8 name",
                 "rename it, or use batch without shards"};
  }
  return {};
}

Error damagedManifest(const fs::path& file, const std::string& message) {
  return {ErrorCode::kMalformed, file.string(), message, "run batch plan again"};
}

PlannedJob jobIn(const json& value) {
  PlannedJob job;
  value.at("name").get_to(job.name);
  value.at("input").get_to(job.input);
  value.at("relative").get_to(job.relative);
  value.at("cost").get_to(job.cost);
  value.at("shard").get_to(job.shard);
  return job;
}

// Refuses what planJobs() would not have named, so that nothing is written outside of the output
// folder, and nothing twice.
Status checkJobs(const Plan& plan, const fs::path& file) {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    const std::string location = "line " + std::to_string(i + 1);
    if (!isPlainName(job.name))
      return damagedManifest(file, location + " names no file below a folder");
    if (job.shard < 1 || job.shard > plan.shards) {
      return damagedManifest(file, location + " is of a shard that the plan does not have");
    }
    if (i > 0 && plan.jobs[i - 1].name >= job.name) {
      return damagedManifest(file, location + " is out of order");
    }
  }
  return {};
}

Status readManifest(std::string_view text, const fs::path& file, Plan& plan) {
  for (std::string_view line : splitText(text, '\n')) {
    if (line.empty()) continue;
    try {
      plan.jobs.push_back(jobIn(json::parse(line)));
    } catch (const json::exception&) {
      return damagedManifest(
          file, "line " + std::to_string(plan.jobs.size() + 1) + " is damagedManifest");
    }
  }
  return checkJobs(plan, file);
}

void readHead(const json& head, Plan& plan) {
  head.at("version").get_to(plan.version);
  head.at("config_hash").get_to(plan.config_hash);
  head.at("shards").get_to(plan.shards);
  plan.root = head.at("root").get<std::string>();
  plan.out_dir = head.at("out_dir").get<std::string>();
  head.at("clips").get_to(plan.clips);
  head.at("set").get_to(plan.assignments);
}

Result<json> loadHead(const fs::path& file, Plan& plan) {
  CLIPMILL_TRY(const Bytes bytes, readFile(file, kMaxPlanBytes));
  try {
    json head = json::parse(asText(bytes));
    if (head.at("schema").get<int>() != kPlanSchema) {
      return Error{ErrorCode::kUnsupported, file.string(),
                   "was made by another version of clipmill",
                   "run batch plan again with this version"};
    }
    readHead(head, plan);
    if (plan.shards < 1 || plan.shards > kMaxShards)
      return damagedManifest(file, "has no such shards");
    return head;
  } catch (const json::exception&) {
    return damagedManifest(file, "is damaged");
  }
}

}  // namespace

std::string configHash(const pipeline::Recipe& recipe, const std::vector<std::string>& clips) {
  const json config = {{"program", pipeline::versionText()},
                       {"recipe", pipeline::recipeHash(recipe)},
                       {"clips", clips}};
  return hashHex(asBytes(config.dump(-1, ' ', false, kReplace)));
}

Result<pipeline::Recipe> readRecipe(const Plan& plan) {
  CLIPMILL_TRY(pipeline::Recipe recipe, pipeline::parseRecipe(plan.recipe, kRecipeFile));
  for (const std::string& assignment : plan.assignments) {
    CLIPMILL_CHECK(pipeline::setInRecipe(recipe, assignment));
  }
  return recipe;
}

Result<pipeline::Recipe> recipeOf(const Plan& plan) {
  CLIPMILL_TRY(pipeline::Recipe recipe, readRecipe(plan));
  if (configHash(recipe, plan.clips) != plan.config_hash) {
    return Error{ErrorCode::kUnsupported, kPlanFile,
                 "was made by clipmill " + printable(plan.version) +
                     ", which does other work than this one (" + pipeline::kProgramVersion + ")",
                 "run batch plan again, or use that version"};
  }
  return recipe;
}

std::string planHash(const Plan& plan) { return hashOf(headOf(plan)); }

std::vector<BatchJob> jobsOfShard(const Plan& plan, std::size_t shard) {
  std::vector<BatchJob> jobs;
  for (const PlannedJob& job : plan.jobs) {
    if (job.shard == shard)
      jobs.push_back({job.name, job.input, outputOf(plan.out_dir, job.name), job.relative});
  }
  return jobs;
}

Status savePlan(const Plan& plan, const fs::path& folder) {
  CLIPMILL_CHECK(checkNames(plan));
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{ErrorCode::kWrite, folder.string(), "cannot be created", ""};
  CLIPMILL_CHECK(writeFileAtomically(folder / kRecipeFile, plan.recipe));
  CLIPMILL_CHECK(writeFileAtomically(folder / kManifestFile, manifestText(plan)));
  return writeFileAtomically(folder / kPlanFile,
                             fullHeadOf(plan).dump(1, ' ', false, kReplace) + "\n");
}

Result<Plan> loadPlan(const fs::path& folder) {
  Plan plan;
  CLIPMILL_TRY(const json head, loadHead(folder / kPlanFile, plan));
  CLIPMILL_TRY(const Bytes recipe, readFile(folder / kRecipeFile, kMaxPlanBytes));
  plan.recipe = asText(recipe);
  CLIPMILL_TRY(const Bytes manifest, readFile(folder / kManifestFile, kMaxPlanBytes));
  CLIPMILL_CHECK(readManifest(asText(manifest), folder / kManifestFile, plan));
  if (fullHeadOf(plan) != head) {
    return damagedManifest(folder, std::string(kPlanFile) + " does not belong to " + kManifestFile +
                                       " and " + kRecipeFile + ", one of which was changed");
  }
  return plan;
}

}  // namespace clipmill::batch
