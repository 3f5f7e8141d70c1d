// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/record_key.h"

#include <cstdint>

#include "anim/key_reduction.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/setting_bytes.h"
#include "io/writer_versions.h"
#include "pipeline/report.h"
#include "stages/registry.h"

namespace clipmill::batch {
namespace {

int versionIn(const std::map<io::OutputFormat, int>& versions, io::OutputFormat format) {
  const auto found = versions.find(format);
  return found == versions.end() ? 0 : found->second;
}

void addStages(const pipeline::Recipe& recipe, const ResultVersions& versions,
               SettingBytes& bytes) {
  bytes.number(std::uint64_t{recipe.stages.size()});
  for (const pipeline::RecipeStage& stage : recipe.stages) {
    bytes.text(stage.type->name);
    const auto version = versions.stages.find(stage.type->name);
    bytes.number(version == versions.stages.end() ? stage.type->algorithm_version
                                                  : version->second);
    bytes.settings(*stage.type->settings, stage.settings.get());
  }
}

}  // namespace

ResultVersions currentVersions() {
  ResultVersions versions;
  versions.program = pipeline::kProgramVersion;
  versions.key_reduction = kKeyReductionVersion;
  for (const io::OutputFormat format : {io::OutputFormat::kGltf, io::OutputFormat::kFbx}) {
    versions.writers[format] = io::writerVersion(format);
  }
  for (const stages::StageType& type : stages::stageTypes())
    versions.stages[type.name] = type.algorithm_version;
  return versions;
}

std::string recordKey(const pipeline::Recipe& recipe, io::OutputFormat format,
                      const std::vector<std::string>& clips, const BesideOutputs& beside,
                      const ResultVersions& versions) {
  SettingBytes bytes;
  bytes.text(versions.program);
  bytes.number(versions.key_reduction);
  bytes.number(static_cast<int>(format));
  bytes.number(versionIn(versions.writers, format));
  bytes.texts(clips);
  bytes.number(int{beside.reports});
  bytes.number(int{beside.previews});
  // A page holds its files as GLB.
  if (beside.previews) bytes.number(versionIn(versions.writers, io::OutputFormat::kGltf));
  bytes.settings(pipeline::inputTable(), &recipe.input);
  bytes.settings(pipeline::outputTable(), &recipe.output);
  addStages(recipe, versions, bytes);
  return hashHex(asBytes(bytes.bytes()));
}

}  // namespace clipmill::batch
