// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/run.h"

#include <algorithm>
#include <iterator>

#include "core/hash.h"
#include "core/to_size.h"
#include "io/insert_joints.h"
#include "pipeline/clip_from.h"
#include "pipeline/output_names.h"
#include "pipeline/run_scope.h"
#include "pipeline/stage_run.h"
#include "pipeline/vrm_animation.h"
#include "pipeline/written_keys.h"
#include "scene/face_shapes.h"
#include "scene/find_clip.h"
#include "stages/edit/root_joints.h"

namespace clipmill::pipeline {
namespace {

void reportProgress(const RunOptions& options, std::string_view step, std::size_t done,
                    std::size_t total) {
  if (options.progress) options.progress(step, done, total);
}

// How the clips of another file are put on the character; without the file of a rest pose.
TransferSettings transferOf(const InputSettings& input) {
  TransferSettings settings;
  settings.map = input.clip_from_map;
  if (input.keep_feet) settings.feet = locomotion::FeetPolicy::kLock;
  settings.keep_hands = input.keep_hands;
  settings.rest_clip = input.clip_from_rest_clip.value_or("");
  settings.rest_s = input.clip_from_rest_s;
  settings.facing_deg = input.clip_from_facing_deg;
  return settings;
}

bool needsMeshes(const Recipe& recipe) {
  // Morph targets of clips of other files are known by the names in meshes.
  if (!recipe.input.clip_from.empty()) return true;
  // Reduced keys are measured at the skin that a joint carries.
  return !recipe.stages.empty() &&
         (recipe.output.keys == KeysMode::kReduced ||
          std::any_of(recipe.stages.begin(), recipe.stages.end(), [](const RecipeStage& stage) {
            return stage.type->needs_meshes && stage.type->needs_meshes(stage.settings.get());
          }));
}

bool addsToFile(const Recipe& recipe) {
  return std::any_of(recipe.stages.begin(), recipe.stages.end(), [](const RecipeStage& stage) {
    return stage.type->adds_to_file && stage.type->adds_to_file(stage.settings.get());
  });
}

// Whether contacts of the clips of another file are found on their own character.
bool usesSourceContacts(const Recipe& recipe) {
  return !recipe.input.clip_from.empty() && recipe.input.contacts_from == ContactsFrom::kSource &&
         std::any_of(recipe.stages.begin(), recipe.stages.end(),
                     [](const RecipeStage& stage) { return stage.type->name == "self-collision"; });
}

// What a run starts with.
struct RunInput {
  io::Asset asset;
  AuxiliaryFiles files;
  std::vector<Motion> motions;     // of the selected clips
  std::vector<Motion> added;       // of clips from another file that are not selected
  std::vector<int> selected = {};  // clips, see selectedClips()
  std::vector<retarget::ClipContacts> contacts = {};  // of clips from another file
};

Status loadAuxiliary(const Recipe& recipe, RunInput& input, RunReport& report) {
  if (!recipe.input.clip_from.empty()) {
    // The skin of the feet shows where the ground is.
    CLIPMILL_CHECK(input.files.load(recipe.input.clip_from,
                                    recipe.input.keep_feet || usesSourceContacts(recipe)));
    if (recipe.input.clip_from_rest) CLIPMILL_CHECK(input.files.load(*recipe.input.clip_from_rest));
  }
  for (const RecipeStage& stage : recipe.stages) {
    CLIPMILL_CHECK(input.files.rawOf(stage));
    if (!stage.type->files_of) continue;
    for (const std::string& path : stage.type->files_of(stage.settings.get())) {
      CLIPMILL_CHECK(input.files.load(path));
    }
  }
  for (const io::Asset* asset : input.files.all()) {
    for (const Warning& warning : asset->scene.warnings.all()) {
      report.warnings.add(warning.code, warning.text, asset->path.string() + ": " + warning.first,
                          warning.count);
    }
    report.files.push_back({asset->path.string(), asset->content_hash});
    report.read_files.push_back(asset->path);
    const auto referenced = asset->document->referencedFiles();
    report.read_files.insert(report.read_files.end(), referenced.begin(), referenced.end());
  }
  for (const stages::RawFile& file : input.files.allRaw()) {
    report.files.push_back({file.path, hashHex(file.bytes)});
    report.read_files.push_back(file.path);
  }
  return {};
}

Status checkReferences(const io::Asset& asset) {
  const std::vector<std::string> missing = asset.document->missingFiles();
  if (missing.empty()) return {};
  return Error{ErrorCode::kNotFound, asset.path.string(),
               "refers to '" + missing.front() + "', which does not exist",
               "put the file there, or leave --strict out"};
}

// Joints that `root` asks for are put into the file, in memory, before anything else looks at it.
Status insertJoints(const Recipe& recipe, const RunOptions& options, io::Asset& asset) {
  for (const RecipeStage& stage : recipe.stages) {
    if (stage.type->name != "root") continue;
    const auto& settings = *static_cast<const stages::edit::RootSettings*>(stage.settings.get());
    auto insertion = stages::edit::rootInsertion(asset.scene, settings);
    if (!insertion) return within(asset.path.string(), insertion.error());
    if (insertion->joints.empty()) continue;
    auto with_joints = io::insertJoints(asset, *insertion, {true, options.limits, recipe.input});
    if (!with_joints) return within(asset.path.string(), with_joints.error());
    asset = std::move(*with_joints);
  }
  return {};
}

bool insertsJoints(const Recipe& recipe) {
  return std::any_of(recipe.stages.begin(), recipe.stages.end(), [](const RecipeStage& stage) {
    if (stage.type->name != "root") return false;
    const auto& settings = *static_cast<const stages::edit::RootSettings*>(stage.settings.get());
    return settings.create || settings.ik_bones != stages::edit::IkBones::kNone;
  });
}

// Loads the input and all that settings name. `output` is empty where nothing will be written.
Status loadInput(const std::filesystem::path& path, const Recipe& recipe,
                 const std::filesystem::path& output, const RunOptions& options, RunInput& input,
                 RunReport& report) {
  reportProgress(options, "load", 0, 1);
  const bool with_meshes = needsMeshes(recipe) || insertsJoints(recipe);
  CLIPMILL_TRY(input.asset, io::load(path, {with_meshes, options.limits, recipe.input}));
  report.input_hash = input.asset.content_hash;
  report.read_files = input.asset.document->referencedFiles();
  if (!output.empty()) {
    if (!isOutputPattern(output)) CLIPMILL_CHECK(io::checkOutput(input.asset, output));
    const bool is_conversion = io::isConversion(input.asset, output);
    if (!is_conversion && addsToFile(recipe)) {
      const Status possible = input.asset.document->checkGrowth();
      if (!possible) return within(path.string(), possible.error());
    }
    if (is_conversion && !with_meshes) {
      CLIPMILL_TRY(input.asset, io::load(path, {true, options.limits, recipe.input}));
    }
  }
  CLIPMILL_CHECK(insertJoints(recipe, options, input.asset));
  report.warnings = input.asset.scene.warnings;
  if (recipe.output.strict) CLIPMILL_CHECK(checkReferences(input.asset));
  return loadAuxiliary(recipe, input, report);
}

// Puts the clips of another file behind those of the input. Returns how many there were.
Result<std::size_t> addClips(const Recipe& recipe, const RunOptions& options, RunInput& input,
                             RunReport& report) {
  Scene& scene = input.asset.scene;
  const std::size_t own_count = scene.clips.size();
  if (recipe.input.clip_from.empty()) return own_count;
  reportProgress(options, "clip-from", 0, 1);
  CLIPMILL_TRY(const io::Asset* asset, input.files.load(recipe.input.clip_from));
  if (isFaceAlone(asset->scene)) {
    CLIPMILL_CHECK(addFaceShapes(scene, recipe.input.clip_from_map));
  }
  TransferSettings settings = transferOf(recipe.input);
  settings.find_contacts = usesSourceContacts(recipe);
  if (recipe.input.clip_from_rest) {
    CLIPMILL_TRY(settings.rest, input.files.load(*recipe.input.clip_from_rest));
  }
  CLIPMILL_TRY(ClipsFrom taken,
               clipsFrom(*asset, recipe.input.clip_from_clip.value_or(""),
                         recipe.output.fps.value_or(0.0), options.limits, scene, settings));
  for (Clip& clip : taken.clips) scene.clips.push_back(std::move(clip));
  report.notes.insert(report.notes.end(), taken.notes.begin(), taken.notes.end());
  report.warnings.merge(taken.warnings);
  report.mappings = std::move(taken.mappings);
  input.contacts = std::move(taken.contacts);
  return own_count;
}

// Puts copies of clips that stages are to leave alone behind the others; the copies are worked on.
void copyClips(const std::string& pattern, std::vector<int>& clips, Scene& scene) {
  if (pattern.empty()) return;
  for (int& clip : clips) {
    Clip copy = scene.clips[toSize(clip)];
    copy.name = freeClipName(scene, patternedName(pattern, copy.name));
    clip = static_cast<int>(scene.clips.size());
    scene.clips.push_back(std::move(copy));
  }
}

// Copies of clips have the contacts of these.
void copyContacts(const std::string& from, const std::string& to,
                  std::vector<retarget::ClipContacts>& contacts) {
  if (from == to) return;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].clip != from) continue;
    retarget::ClipContacts copy = contacts[i];
    copy.clip = to;
    contacts.push_back(std::move(copy));
    return;
  }
}

// Gives clips of a single key that length, and a file without clips a clip of the rest pose.
void lengthenStillClips(double duration_s, Scene& scene) {
  if (scene.clips.empty()) {
    Clip still;
    still.name = "Still";
    still.animated = TrackMask(scene.skeleton.size());
    still.source = keyframeSource(scene.skeleton, {});
    scene.clips.push_back(std::move(still));
  }
  for (Clip& clip : scene.clips) {
    if (clip.end_s <= clip.start_s) clip.end_s = clip.start_s + duration_s;
  }
}

// The clips that stages work on: those asked for, else those from another file, else all.
Result<std::vector<int>> selectedClips(const Scene& scene, std::size_t own_count,
                                       const RunOptions& options) {
  CLIPMILL_TRY(std::vector<int> clips, selectClips(scene, options.clips));
  if (options.clips.empty() && own_count < scene.clips.size()) {
    clips.erase(clips.begin(), clips.begin() + static_cast<std::ptrdiff_t>(own_count));
  }
  return clips;
}

// The selected clips as the first stage gets them, and new clips that are only written.
Status sampleInput(const Recipe& recipe, const RunOptions& options, RunInput& input,
                   RunReport& report) {
  CLIPMILL_TRY(const std::size_t own_count, addClips(recipe, options, input, report));
  Scene& scene = input.asset.scene;
  if (recipe.input.still_duration_s) lengthenStillClips(*recipe.input.still_duration_s, scene);
  CLIPMILL_TRY(std::vector<int> clips, selectedClips(scene, own_count, options));
  input.selected = clips;
  if (recipe.stages.empty()) {
    clips.clear();
  } else if (clips.empty() && !insertsJoints(recipe)) {
    return Error{
        ErrorCode::kNotFound, "", "has no animation",
        "use a file with at least one clip, or set still_duration_s for a clip of the rest pose"};
  }
  const std::vector<int> originals = clips;
  copyClips(recipe.input.copy_as.value_or(""), clips, scene);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    copyContacts(scene.clips[toSize(originals[i])].name, scene.clips[toSize(clips[i])].name,
                 input.contacts);
  }
  if (!clips.empty()) input.selected = clips;
  std::vector<int> others;
  for (int c = static_cast<int>(own_count); c < static_cast<int>(scene.clips.size()); ++c) {
    if (std::find(clips.begin(), clips.end(), c) == clips.end()) others.push_back(c);
  }
  if (clips.empty() && others.empty()) return {};
  reportProgress(options, "sample", 0, clips.size() + others.size());
  CLIPMILL_TRY(input.motions, sampleClips(scene, clips, recipe.output.fps.value_or(0.0),
                                          options.threads, options.limits));
  CLIPMILL_TRY(input.added, sampleClips(scene, others, recipe.output.fps.value_or(0.0),
                                        options.threads, options.limits));
  // The file has none of their keys yet.
  for (std::vector<Motion>* motions : {&input.motions, &input.added}) {
    for (Motion& motion : *motions) {
      const auto clip = toSize(motion.clip_index);
      if (clip >= own_count) motion.modified = scene.clips[clip].animated;
    }
  }
  return {};
}

std::vector<ClipReport> clipReports(std::span<const Motion> motions) {
  std::vector<ClipReport> reports;
  for (const Motion& motion : motions) {
    ClipReport clip;
    clip.clip = motion.clip_name;
    clip.index = motion.clip_index;
    clip.fps = motion.grid.fps;
    clip.frames = motion.grid.frame_count;
    reports.push_back(std::move(clip));
  }
  return reports;
}

// One file to be written.
struct PlannedOutput {
  std::filesystem::path path;
  std::shared_ptr<void> settings;  // of the stage that asks for several; null for one output
  std::vector<io::ClipEdit> edits;
  Additions additions;
  RunReport* report = nullptr;
};

// The outputs of a run, each with a report of its own where there are several. All their names are
// checked before any work.
Result<std::vector<PlannedOutput>> planOutputs(const io::Asset& asset, const Family& family,
                                               const std::filesystem::path& output,
                                               RunReport& report) {
  if (family.variants.empty()) {
    CLIPMILL_CHECK(io::checkOutput(asset, output));
    return std::vector<PlannedOutput>{{output, nullptr, {}, {}, &report}};
  }
  CLIPMILL_TRY(const auto names, outputNamesOf(output, family.variants));
  report.variants.resize(names.size());
  std::vector<PlannedOutput> outputs(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CLIPMILL_CHECK(io::checkOutput(asset, names[i]));
    RunReport& part = report.variants[i];
    part.label = family.variants[i].label;
    part.input = report.input;
    part.input_hash = report.input_hash;
    part.config_hash = report.config_hash;
    part.output = names[i].string();
    outputs[i] = {names[i], family.variants[i].settings, {}, {}, &part};
  }
  return outputs;
}

// Clips that no stage works on are written all the same.
void appendAddedClips(const RunInput& input, StageState& state) {
  const Skeleton &before = input.asset.scene.skeleton, &after = state.scene->skeleton;
  const bool is_wider = !state.additions.morphs.empty() || !state.additions.joints.empty();
  for (const Motion& motion : input.added) {
    state.motions.push_back(is_wider ? withAdditions(before, after, motion) : motion);
  }
  std::vector<ClipReport> reports = clipReports(input.added);
  std::move(reports.begin(), reports.end(), std::back_inserter(state.clips));
}

// Runs the stages that all outputs share once, and the others once for each output.
Status makeOutputs(RunInput& input, const ResolvedRecipe& resolved, const Family& family,
                   const RunOptions& options, std::vector<PlannedOutput>& outputs) {
  const Recipe& recipe = resolved.recipe;
  const std::size_t count = recipe.stages.size();
  const double max_bytes = static_cast<double>(options.limits.max_decoded_bytes);
  const StageContext context{resolved,
                             input.files,
                             options.threads,
                             max_bytes,
                             [&](std::size_t s) {
                               reportProgress(options, recipe.stages[s].type->name, s, count);
                               return checkInterrupt();
                             },
                             &input.contacts};
  const std::shared_ptr<const Scene> scene(std::shared_ptr<void>(), &input.asset.scene);
  std::vector<ClipReport> reports = clipReports(input.motions);
  StageState shared{scene, std::move(input.motions), std::move(reports), {}};
  CLIPMILL_CHECK(runStages(context, 0, family.stage, nullptr, shared));
  OutputSettings keys = recipe.output;
  // A conversion chooses among the keys of all tracks once they are together.
  if (io::isConversion(input.asset, outputs.front().path)) keys.keys = KeysMode::kAll;
  for (PlannedOutput& output : outputs) {
    StageState state = &output == &outputs.back() ? std::move(shared) : shared;
    CLIPMILL_CHECK(runStages(context, family.stage, count, output.settings, state));
    appendAddedClips(input, state);
    reportProgress(options, "keys", 0, state.motions.size());
    output.edits = keysToWrite(*state.scene, keys, state.additions.morphs, state.motions,
                               options.threads, state.clips);
    output.additions = std::move(state.additions);
    output.report->clips = std::move(state.clips);
  }
  return {};
}

Error afterOthers(Error error, std::span<const PlannedOutput> written) {
  if (written.empty()) return error;
  error.message += "; written before it:";
  for (const PlannedOutput& output : written) error.message += " " + output.path.string();
  return error;
}

Status saveOutputs(const RunInput& input, const OutputSettings& settings, const RunOptions& options,
                   std::span<const PlannedOutput> outputs) {
  const io::Asset& asset = input.asset;
  const io::ConversionKeys conversion{settings.keys == KeysMode::kAll, settings.key_tolerance_mm,
                                      settings.fps.value_or(0.0), options.threads};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    reportProgress(options, "save", i, outputs.size());
    const auto loss = isNewVrmAnimation(asset, outputs[i].path)
                          ? saveVrmAnimation(asset, outputs[i].edits, outputs[i].additions,
                                             input.selected, outputs[i].path, conversion)
                          : io::save(asset, outputs[i].edits, outputs[i].path, conversion,
                                     outputs[i].additions, settings.compact);
    if (!loss) return afterOthers(loss.error(), outputs.first(i));
    outputs[i].report->warnings.merge(*loss);
    outputs[i].report->written = true;
    for (const AddedFile& file : outputs[i].additions.files) {
      outputs[i].report->beside.push_back(io::besidePath(outputs[i].path, file));
    }
  }
  return {};
}

Status runLoaded(RunInput& input, const Recipe& recipe, const std::filesystem::path& output,
                 const RunOptions& options, RunReport& report) {
  CLIPMILL_CHECK(sampleInput(recipe, options, input, report));
  CLIPMILL_TRY(const ResolvedRecipe resolved,
               resolveStages(input.asset.scene, input.motions, recipe));
  if (options.resolved) options.resolved(resolved);
  CLIPMILL_TRY(const Family family, familyOf(resolved.recipe));
  CLIPMILL_TRY(std::vector<PlannedOutput> outputs,
               planOutputs(input.asset, family, output, report));
  if (!input.motions.empty() || !input.added.empty()) {
    CLIPMILL_CHECK(makeOutputs(input, resolved, family, options, outputs));
  }
  CLIPMILL_CHECK(checkInterrupt());
  if (options.dry_run) return {};
  return saveOutputs(input, recipe.output, options, outputs);
}

// Errors of the input name it, and so do settings that do not fit it; those of other files have
// their own location.
Error withLocation(const std::filesystem::path& input, const Error& error) {
  const bool has_location = error.code == ErrorCode::kWrite || error.code == ErrorCode::kUsage;
  return has_location ? error : within(input.string(), error);
}

Status loadAndRun(const std::filesystem::path& path, const Recipe& recipe,
                  const std::filesystem::path& output, const RunOptions& options,
                  RunReport& report) {
  RunInput input{{}, AuxiliaryFiles(options.limits, recipe.input), {}, {}};
  CLIPMILL_CHECK(loadInput(path, recipe, output, options, input, report));
  const Status done = runLoaded(input, recipe, output, options, report);
  if (!done) return withLocation(path, done.error());
  return {};
}

}  // namespace

Result<ResolvedRecipe> resolveRecipe(const std::filesystem::path& path, const Recipe& recipe,
                                     const RunOptions& options) {
  RunInput input{{}, AuxiliaryFiles(options.limits, recipe.input), {}, {}};
  RunReport unused;
  CLIPMILL_CHECK(loadInput(path, recipe, "", options, input, unused));
  if (Status sampled = sampleInput(recipe, options, input, unused); !sampled) {
    return withLocation(path, sampled.error());
  }
  auto resolved = resolveStages(input.asset.scene, input.motions, recipe);
  if (!resolved) return withLocation(path, resolved.error());
  return resolved;
}

Status runFile(const std::filesystem::path& input, const Recipe& recipe,
               const std::filesystem::path& output, const RunOptions& options, RunReport& report) {
  report.input = input.string();
  report.output = output.string();
  report.config_hash = recipeHash(recipe);
  return reportedRun(report, [&] { return loadAndRun(input, recipe, output, options, report); });
}

}  // namespace clipmill::pipeline
