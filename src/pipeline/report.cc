// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "anim/key_reduction.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/fbx/write.h"
#include "io/gltf/write.h"
#include "pipeline/report_members.h"
#include "stages/registry.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

Json numbersJson(const Vec3& v) { return {v.x, v.y, v.z}; }

Json seriesJson(const StageReport& stage) {
  Json list = Json::array();
  for (const stages::Series& series : stage.series) {
    Json json = {{"name", series.name}, {"of", series.of}};
    if (!series.before.empty()) json["before"] = series.before;
    json["after"] = series.after;
    list.push_back(std::move(json));
  }
  return list;
}

Json shapesJson(const StageReport& stage) {
  Json list = Json::array();
  for (const stages::StageShape& shape : stage.shapes) {
    list.push_back({{"kind", shape.kind},
                    {"name", shape.name},
                    {"node", shape.node},
                    {"node_name", shape.node_name},
                    {"head_m", numbersJson(shape.head_m)},
                    {"tail_m", numbersJson(shape.tail_m)},
                    {"radius_m", shape.radius_m}});
  }
  return list;
}

Json pointsJson(const StageReport& stage) {
  Json list = Json::array();
  for (const stages::StagePoint& point : stage.points) {
    list.push_back({{"name", point.name},
                    {"node", point.node},
                    {"node_name", point.node_name},
                    {"offset", numbersJson(point.offset)}});
  }
  return list;
}

// `contact` has the form of the setting of that name.
void addContacts(const StageReport& stage, Json& json) {
  if (stage.contacts.empty()) return;
  Json list = Json::array(), gaps = Json::array();
  for (const stages::StageContact& contact : stage.contacts) {
    list.push_back({{"clip", contact.clip},
                    {"kind", contact.kind},
                    {"parts", contact.parts},
                    {"start_s", contact.start_s},
                    {"end_s", contact.end_s}});
    gaps.push_back({{"before", contact.before_mm}, {"after", contact.after_mm}});
  }
  json["contact"] = std::move(list);
  json["contact_gaps_mm"] = std::move(gaps);
}

Json stageJson(const StageReport& stage) {
  Json json = {{"type", stage.type},
               {"metrics", metricsJson<Json>(stage)},
               {"series", seriesJson(stage)},
               {"shapes", shapesJson(stage)},
               {"points", pointsJson(stage)},
               {"notes", stage.notes},
               {"clip_notes", stage.clip_notes},
               {"warnings", warningsJson<Json>(stage.warnings)}};
  addContacts(stage, json);
  return json;
}

Json clipJson(const RunReport& report, const ClipReport& clip) {
  Json stages = Json::array();
  for (const StageReport& stage : clip.stages) stages.push_back(stageJson(stage));
  return {{"input", report.input},
          {"output", report.output},
          {"clip", clip.clip},
          {"index", clip.index},
          {"status", "ok"},
          {"fps", clip.fps},
          {"frames", clip.frames},
          {"stages", stages},
          {"keys", keysJson<Json>(clip)},
          {"warnings", warningsJson<Json>(clip.warnings)}};
}

Json clipsJson(const RunReport& report) {
  Json clips = Json::array();
  for (const ClipReport& clip : report.clips) clips.push_back(clipJson(report, clip));
  return clips;
}

Json outputsJson(const RunReport& report) {
  Json outputs = Json::array();
  for (const RunReport& variant : report.variants) {
    outputs.push_back({{"label", variant.label},
                       {"output", variant.output},
                       {"written", variant.written},
                       {"warnings", warningsJson<Json>(variant.warnings)},
                       {"clips", clipsJson(variant)}});
  }
  return outputs;
}

Json filesJson(const RunReport& report) {
  Json files = Json::array();
  for (const FileReport& file : report.files) {
    files.push_back({{"path", file.path}, {"hash", file.hash}});
  }
  return files;
}

Json mappingsJson(const RunReport& report) {
  Json mappings = Json::array();
  for (const MappingReport& mapping : report.mappings) {
    Json joints = Json::array();
    for (const retarget::MappedJoint& joint : mapping.mapping.joints) {
      joints.push_back({{"joint", joint.target},
                        {"source", joint.source},
                        {"role", joint.role},
                        {"confidence", joint.confidence}});
    }
    mappings.push_back({{"file", mapping.first_file},
                        {"files", mapping.files},
                        {"by", mapping.mapping.basis},
                        {"joints", std::move(joints)},
                        {"roles_without_source", mapping.mapping.roles_without_source}});
  }
  return mappings;
}

bool isShort(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(), [](const Json& element) {
           return element.is_structured();
         });
}

// Indented, but each list of numbers is on one line: a series has a value for each frame.
void addJson(const Json& value, std::size_t depth, std::string& text) {
  if (!value.is_structured() || value.empty() || isShort(value)) {
    text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::string line = "\n" + std::string(2 * depth, ' ');
  text += value.is_array() ? '[' : '{';
  const char* separator = "";
  for (const auto& [key, element] : value.items()) {
    text += separator + line + "  ";
    if (value.is_object()) {
      text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    }
    addJson(element, depth + 1, text);
    separator = ",";
  }
  text += line;
  text += value.is_array() ? ']' : '}';
}

void addWarnings(const Warnings& warnings, std::string& text) {
  for (const Warning& warning : warnings.all()) {
    text += "  warning: " + warning.text + " (" + std::to_string(warning.count) + "x";
    if (!warning.first.empty()) text += ", first at " + printable(warning.first);
    text += ")\n";
  }
}

// The reports of the single outputs.
std::vector<const RunReport*> partsOf(const RunReport& report) {
  if (report.variants.empty()) return {&report};
  std::vector<const RunReport*> parts;
  for (const RunReport& variant : report.variants) parts.push_back(&variant);
  return parts;
}

// How the joints of some files were mapped, and the joint that is least sure.
std::string mappingNote(const MappingReport& report) {
  const retarget::JointMapping& mapping = report.mapping;
  std::size_t roles = 0;
  const retarget::MappedJoint* least = nullptr;
  for (const retarget::MappedJoint& joint : mapping.joints) {
    if (joint.role.empty()) continue;
    ++roles;
    if (!least || joint.confidence < least->confidence) least = &joint;
  }
  std::string text = counted(report.files, "file") + " mapped by " + mapping.basis + ": " +
                     counted(mapping.joints.size(), "joint");
  if (!least) return text;
  text += ", " + std::to_string(roles) + " of " +
          counted(roles + mapping.roles_without_source.size(), "humanoid role");
  for (std::size_t i = 0; i < mapping.roles_without_source.size(); ++i) {
    text += (i == 0 ? " (without " : ", ") + mapping.roles_without_source[i];
  }
  if (!mapping.roles_without_source.empty()) text += ")";
  text += ", least confidence " + fixedText(least->confidence, 2);
  if (least->confidence < 1.0) {
    text += " (" + least->role + ": '" + least->source + "' moves '" + least->target + "')";
  }
  return text + ", first file " + report.first_file;
}

// Of the run, and of all stages, each once: those of a stage are the same for all clips.
std::vector<std::string> notesOf(const RunReport& report, bool has_stage_notes) {
  std::vector<std::string> notes = report.notes;
  for (const MappingReport& mapping : report.mappings) notes.push_back(mappingNote(mapping));
  if (!has_stage_notes) return notes;
  for (const RunReport* part : partsOf(report)) {
    for (const ClipReport& clip : part->clips) {
      for (const StageReport& stage : clip.stages) {
        for (const std::string& note : stage.notes) {
          const std::string line = stage.type + ": " + note;
          if (std::find(notes.begin(), notes.end(), line) == notes.end()) notes.push_back(line);
        }
      }
    }
  }
  return notes;
}

// The notes on single clips, each once, with the names of the clips that it is on.
std::vector<std::string> clipNotesOf(const RunReport& report) {
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::pair<std::string, std::vector<std::string>>> clips_of;
  for (const RunReport* part : partsOf(report)) {
    for (const ClipReport& clip : part->clips) {
      for (const StageReport& stage : clip.stages) {
        for (const std::string& note : stage.clip_notes) {
          const std::string line = stage.type + ": " + note;
          auto found = std::find_if(clips_of.begin(), clips_of.end(),
                                    [&](const auto& known) { return known.first == line; });
          if (found == clips_of.end()) found = clips_of.insert(found, {line, {}});
          // Two stages of one kind may have the same note.
          std::vector<std::string>& names = found->second;
          if (names.empty() || names.back() != clip.clip) names.push_back(clip.clip);
        }
      }
    }
  }
  std::vector<std::string> notes;
  for (const auto& [line, clips] : clips_of) {
    std::string names;
    for (std::size_t i = 0; i < std::min(clips.size(), kMaxNames); ++i) {
      names += (i == 0 ? " (" : ", ") + clips[i];
    }
    if (clips.size() > kMaxNames) names += ", .. " + counted(clips.size(), "clip");
    notes.push_back(line + names + ")");
  }
  return notes;
}

// What one output cost.
std::string summary(const RunReport& report) {
  std::size_t tracks = 0, before = 0, after = 0;
  double worst_mm = 0.0;
  for (const ClipReport& clip : report.clips) {
    tracks += clip.tracks_written;
    before += clip.keys_before;
    after += clip.keys_after;
    worst_mm = std::max(worst_mm, clip.worst_key_error_mm);
  }
  std::string text = printable(report.output) + ": " + counted(report.clips.size(), "clip") + ", " +
                     counted(tracks, "track") + " written";
  if (tracks == 0) return text;
  text += ", " + counted(after, "key");
  if (after >= before) return text;
  const auto saved =
      toSize(100.0 * static_cast<double>(before - after) / static_cast<double>(before));
  return text + " of " + std::to_string(before) + " (" + std::to_string(saved) +
         " % fewer, error at most " + fixedText(worst_mm, 4) + " mm)";
}

}  // namespace

const char* errorWord(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kRecipe:
      return "recipe";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kUnreadable:
      return "unreadable";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kWrite:
      return "write";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

void addMapping(const std::string& file, retarget::JointMapping mapping,
                std::vector<MappingReport>& mappings) {
  for (MappingReport& known : mappings) {
    if (!(known.mapping == mapping)) continue;
    if (known.last_file != file) ++known.files;
    known.last_file = file;
    return;
  }
  mappings.push_back({file, file, 1, std::move(mapping)});
}

std::string reportJson(const RunReport& report) {
  Json root = {{"schema", 1},
               {"tool", {{"name", "clipmill"}, {"version", kProgramVersion}}},
               {"config_hash", report.config_hash},
               {"input", report.input},
               {"input_hash", report.input_hash},
               {"files", filesJson(report)},
               {"output", report.output},
               {"status", report.error ? "failed" : "ok"}};
  if (report.error) {
    root["error"] = {{"code", errorWord(report.error->code)},
                     {"location", report.error->location},
                     {"message", report.error->message},
                     {"remedy", report.error->remedy}};
  }
  root["notes"] = report.notes;
  if (!report.mappings.empty()) root["mappings"] = mappingsJson(report);
  root["warnings"] = warningsJson<Json>(report.warnings);
  if (report.variants.empty()) {
    root["clips"] = clipsJson(report);
  } else {
    root["outputs"] = outputsJson(report);
  }
  root["run"] = {{"ms", report.milliseconds},
                 {"peak_mb", static_cast<double>(report.peak_memory_bytes / 1024) / 1024.0}};
  std::string text;
  addJson(root, 0, text);
  return text + "\n";
}

std::string reportText(const RunReport& report, bool has_stage_notes) {
  std::string text;
  for (const RunReport* part : partsOf(report)) text += (text.empty() ? "" : "\n") + summary(*part);
  for (const std::string& note : notesOf(report, has_stage_notes))
    text += "\n  note: " + printable(note);
  for (const std::string& note : clipNotesOf(report)) text += "\n  note: " + printable(note);
  return text + warningsText(report);
}

std::string warningsText(const RunReport& report) {
  std::string text = "\n";
  addWarnings(report.warnings, text);
  Warnings all;
  for (const RunReport* part : partsOf(report)) {
    if (part != &report) all.merge(part->warnings);
    for (const ClipReport& clip : part->clips) {
      all.merge(clip.warnings);
      for (const StageReport& stage : clip.stages) all.merge(stage.warnings);
    }
  }
  addWarnings(all, text);
  text.pop_back();
  return text;
}

std::vector<std::filesystem::path> outputsOf(const RunReport& report) {
  std::vector<std::filesystem::path> outputs;
  for (const RunReport* part : partsOf(report)) outputs.emplace_back(part->output);
  return outputs;
}

std::string versionText() {
  std::string text = std::string("clipmill ") + kProgramVersion + "\n";
  for (const stages::StageType& type : stages::stageTypes()) {
    text += type.name + " algorithm " + std::to_string(type.algorithm_version) + "\n";
  }
  text += "key reduction " + std::to_string(kKeyReductionVersion) + "\n";
  text += "glTF writer " + std::to_string(io::gltf::kGltfWriterVersion) + "\n";
  text += "FBX writer " + std::to_string(io::fbx::kFbxWriterVersion) + "\n";
  return text;
}

}  // namespace clipmill::pipeline
