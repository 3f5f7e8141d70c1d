// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write.h"

#include <cmath>
#include <utility>

#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/write_clips.h"
#include "io/fbx/write_materials.h"
#include "io/fbx/write_meshes.h"
#include "io/fbx/write_nodes.h"
#include "io/fbx/write_space.h"
#include "io/fbx/write_views.h"
#include "scene/validate.h"

namespace clipmill::io::fbx {
namespace {

using namespace fbx;

constexpr int kVersion = 7400;
constexpr std::int64_t kDocumentId = 999999;

// -- File header. All times are the constant of the footer, not the clock.

NewElement timeStamp() {
  return block("CreationTimeStamp",
               {leaf("Version", std::int32_t{1000}), leaf("Year", std::int32_t{1970}),
                leaf("Month", std::int32_t{1}), leaf("Day", std::int32_t{1}),
                leaf("Hour", std::int32_t{10}), leaf("Minute", std::int32_t{0}),
                leaf("Second", std::int32_t{0}), leaf("Millisecond", std::int32_t{0})});
}

NewElement sceneInfo(const std::string& generator) {
  std::vector<NewElement> properties;
  for (const std::string compound : {"Original", "LastSaved"}) {
    properties.push_back(propertyElement(compound, "Compound", "", "", {}));
    properties.push_back(textProperty(compound + "|ApplicationVendor", generator));
    properties.push_back(textProperty(compound + "|ApplicationName", generator));
    properties.push_back(textProperty(compound + "|ApplicationVersion", ""));
  }
  NewElement info{
      "SceneInfo", {classedName("GlobalInfo", "SceneInfo"), std::string("UserData")}, {}, true};
  info.children = {leaf("Type", std::string("UserData")), leaf("Version", std::int32_t{100}),
                   block("MetaData", {leaf("Version", std::int32_t{100})}),
                   block("Properties70", std::move(properties))};
  return info;
}

NewElement header(const std::string& generator) {
  return block("FBXHeaderExtension",
               {leaf("FBXHeaderVersion", std::int32_t{1003}),
                leaf("FBXVersion", std::int32_t{kVersion}), leaf("EncryptionType", std::int32_t{0}),
                timeStamp(), leaf("Creator", generator), sceneInfo(generator)});
}

// -- Units, axes and time

// TimeMode by its rate (FBX SDK, FbxTime::EMode); 14 for any other.
std::int32_t timeModeOf(double fps) {
  constexpr std::pair<double, std::int32_t> kModes[] = {{120, 1},
                                                        {100, 2},
                                                        {60, 3},
                                                        {50, 4},
                                                        {48, 5},
                                                        {30, 6},
                                                        {25, 10},
                                                        {24, 11},
                                                        {96, 15},
                                                        {72, 16},
                                                        {30000.0 / 1001, 9},
                                                        {24000.0 / 1001, 13},
                                                        {60000.0 / 1001, 17},
                                                        {120000.0 / 1001, 18}};
  for (const auto& [rate, mode] : kModes) {
    if (std::fabs(fps - rate) < 1e-3) return mode;
  }
  return 14;
}

NewElement globalSettingsElement(double fps, const WrittenStack& first) {
  const auto integer = [](const char* name, std::int32_t value) {
    return propertyElement(name, "int", "Integer", "", {value});
  };
  const auto number = [](const char* name, double value) {
    return propertyElement(name, "double", "Number", "", {value});
  };
  std::vector<NewElement> properties = {
      integer("UpAxis", 1),
      integer("UpAxisSign", 1),
      integer("FrontAxis", 2),
      integer("FrontAxisSign", 1),
      integer("CoordAxis", 0),
      integer("CoordAxisSign", 1),
      integer("OriginalUpAxis", 1),
      integer("OriginalUpAxisSign", 1),
      number("UnitScaleFactor", 1.0),
      number("OriginalUnitScaleFactor", 1.0),
      enumProperty("TimeMode", timeModeOf(fps)),
      timeProperty("TimeSpanStart", first.start_ticks),
      timeProperty("TimeSpanStop", first.end_ticks),
      number("CustomFrameRate", timeModeOf(fps) == 14 ? fps : -1.0),
  };
  return block("GlobalSettings",
               {leaf("Version", std::int32_t{1000}), block("Properties70", std::move(properties))});
}

NewElement documents(const std::string& active_stack) {
  NewElement document{
      "Document", {kDocumentId, std::string("Scene"), std::string("Scene")}, {}, true};
  document.children = {block("Properties70", {propertyElement("SourceObject", "object", "", "", {}),
                                              textProperty("ActiveAnimStackName", active_stack)}),
                       leaf("RootNode", std::int64_t{0})};
  return block("Documents", {leaf("Count", std::int32_t{1}), std::move(document)});
}

// What readers of older files look at; newer ones read the stacks.
NewElement takes(const std::vector<WrittenStack>& stacks) {
  NewElement list =
      block("Takes", {leaf("Current", stacks.empty() ? std::string() : stacks.front().name)});
  for (const WrittenStack& stack : stacks) {
    const auto span = [&](const char* name) {
      return NewElement{name, {stack.start_ticks, stack.end_ticks}, {}, false};
    };
    NewElement take{"Take", {stack.name}, {}, true};
    take.children = {leaf("FileName", stack.name + ".tak"), span("LocalTime"),
                     span("ReferenceTime")};
    list.children.push_back(std::move(take));
  }
  return list;
}

}  // namespace

Result<Bytes> writeFbx(const Scene& scene, std::span<const KeyframeClip> clips,
                       const FbxWriteOptions& options, Warnings& losses) {
  CLIPMILL_CHECK(validateScene(scene));
  CLIPMILL_CHECK(validateClips(scene.skeleton, clips));
  const SpaceChange change = toCentimetres(scene.metric_from_file);
  const Scene changed = changedScene(scene, change);
  const std::vector<KeyframeClip> changed_clips = changedClips(scene.skeleton, clips, change);
  CLIPMILL_CHECK(checkNumbers(changed, changed_clips));
  const double fps = options.fps > 0.0 ? options.fps : frameRateOf(clips);

  FileBuilder file(losses);
  const std::vector<std::int64_t> materials = writeMaterials(changed, file);
  WrittenIds ids = writeNodes(changed, file);
  CLIPMILL_CHECK(writeMeshes(changed, materials, ids, file));
  writeViews(changed, ids, file);
  const std::vector<WrittenStack> stacks = writeClips(changed, changed_clips, fps, ids, file);
  const WrittenStack first = stacks.empty() ? WrittenStack{} : stacks.front();

  std::vector<NewElement> roots = {header(options.generator),
                                   leaf("FileId", newFileId()),
                                   leaf("CreationTime", std::string(kNewCreationTime)),
                                   leaf("Creator", options.generator),
                                   globalSettingsElement(fps, first),
                                   documents(first.name),
                                   block("References", {})};
  roots.push_back(file.takeDefinitions());
  roots.push_back(file.takeObjects());
  roots.push_back(file.takeConnections());
  roots.push_back(takes(stacks));
  return writeNewBinary(kVersion, roots);
}

}  // namespace clipmill::io::fbx
