// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/record_key.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <variant>

#include "anim/key_reduction.h"
#include "core/file.h"
#include "core/hash.h"
#include "io/writer_versions.h"
#include "pipeline/report.h"
#include "stages/registry.h"

namespace clipmill::batch {
namespace {

// Bytes from which all that was put in can be read back.
class Fields {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
  }
  void number(int value) { number(static_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(std::uint64_t{value.size()});
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    number(std::uint64_t{values.size()});
    for (const std::string& value : values) text(value);
  }
  void settings(const SettingsTable& table, const void* values) {
    number(std::uint64_t{table.fields.size()});
    for (const SettingField& field : table.fields) {
      const auto value = field.get(values);
      text(field.name);
      number(int{value.has_value()});
      if (value) setting(*value);
    }
    number(std::uint64_t{table.lists.size()});
    for (const SettingList& list : table.lists) {
      text(list.name);
      number(std::uint64_t{list.size(values)});
      for (std::size_t i = 0; i < list.size(values); ++i) settings(*list.item, list.at(values, i));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void setting(const SettingValue& value) {
    struct ValueWriter {
      Fields& fields;
      void operator()(bool b) const { fields.number(std::uint64_t{b}); }
      void operator()(std::int64_t i) const { fields.number(static_cast<std::uint64_t>(i)); }
      void operator()(double d) const { fields.number(std::bit_cast<std::uint64_t>(d)); }
      void operator()(const std::string& s) const { fields.text(s); }
      void operator()(const std::vector<double>& v) const {
        fields.number(std::uint64_t{v.size()});
        for (double d : v) (*this)(d);
      }
      void operator()(const std::vector<std::string>& v) const { fields.texts(v); }
      void operator()(const Curve& c) const {
        fields.number(std::uint64_t{c.points.size()});
        for (const Curve::Point& point : c.points) {
          (*this)(point.depth);
          (*this)(point.value);
        }
      }
    };
    number(std::uint64_t{value.index()});
    std::visit(ValueWriter{*this}, value);
  }

  std::string bytes_;
};

int versionIn(const std::map<io::OutputFormat, int>& versions, io::OutputFormat format) {
  const auto found = versions.find(format);
  return found == versions.end() ? 0 : found->second;
}

void addStages(const pipeline::Recipe& recipe, const ResultVersions& versions, Fields& fields) {
  fields.number(std::uint64_t{recipe.stages.size()});
  for (const pipeline::RecipeStage& stage : recipe.stages) {
    fields.text(stage.type->name);
    const auto version = versions.stages.find(stage.type->name);
    fields.number(version == versions.stages.end() ? stage.type->algorithm_version
                                                   : version->second);
    fields.settings(*stage.type->settings, stage.settings.get());
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
  Fields fields;
  fields.text(versions.program);
  fields.number(versions.key_reduction);
  fields.number(static_cast<int>(format));
  fields.number(versionIn(versions.writers, format));
  fields.texts(clips);
  fields.number(int{beside.reports});
  fields.number(int{beside.previews});
  // A page holds its files as GLB.
  if (beside.previews) fields.number(versionIn(versions.writers, io::OutputFormat::kGltf));
  fields.settings(pipeline::inputTable(), &recipe.input);
  fields.settings(pipeline::outputTable(), &recipe.output);
  addStages(recipe, versions, fields);
  return hashHex(asBytes(fields.bytes()));
}

}  // namespace clipmill::batch
