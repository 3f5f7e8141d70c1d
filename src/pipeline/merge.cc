// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/merge.h"

#include <algorithm>

#include "core/file_names.h"
#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/conversion.h"
#include "measure/limb_penetration.h"
#include "pipeline/clip_choice.h"
#include "pipeline/run_scope.h"
#include "pipeline/stage_run.h"
#include "pipeline/written_keys.h"
#include "scene/face_shapes.h"
#include "stages/edit/settings.h"

namespace clipmill::pipeline {
namespace {

// A clip between its file and the output.
struct MovingClip {
  std::string name;
  std::string note;
  retarget::JointMapping mapping;
  Motion motion;
  StageReport report;
  std::optional<retarget::ClipContacts> contacts = {};
};

// A file with clips, and what became of them.
struct ClipFile {
  std::string path;
  Status status;
  io::Asset asset;
  std::vector<MovingClip> clips;
};

class Merge {
 public:
  Merge(const MergeSettings& settings, const OutputSettings& output,
        const io::ArraySettings& arrays, const RunOptions& options, RunReport& report)
      : settings_(settings),
        output_(output),
        arrays_(arrays),
        options_(options),
        report_(report),
        files_(options.limits, arrays) {}

  Status run(const std::filesystem::path& input, const std::vector<std::string>& files,
             const std::filesystem::path& path) {
    CLIPMILL_CHECK(loadCharacter(input, path));
    const auto isTable = [](const std::string& file) {
      return smallLetters(std::filesystem::path(file).extension().string()) == ".csv";
    };
    if (std::any_of(files.begin(), files.end(), isTable)) {
      CLIPMILL_CHECK(addFaceShapes(asset_.scene, settings_.map));
    }
    CLIPMILL_CHECK(prepare());
    saver_.emplace(asset_, path);
    const std::size_t block = toSize(threadCount(options_.threads));
    for (std::size_t at = 0; at < files.size(); at += block) {
      progress("merge", at, files.size());
      const std::size_t end = std::min(at + block, files.size());
      CLIPMILL_CHECK(addFiles(std::span(files).subspan(at, end - at)));
      CLIPMILL_CHECK(checkInterrupt());
    }
    if (!has_clips_) return noClips(files);
    progress("save", 0, 1);
    return options_.dry_run ? Status() : save();
  }

 private:
  void progress(std::string_view step, std::size_t done, std::size_t total) const {
    if (options_.progress) options_.progress(step, done, total);
  }

  Status loadCharacter(const std::filesystem::path& input, const std::filesystem::path& path) {
    progress("load", 0, 1);
    const io::LoadOptions load{true, options_.limits, arrays_};
    CLIPMILL_TRY(asset_, io::load(input, load));
    report_.input_hash = asset_.content_hash;
    report_.read_files = asset_.document->referencedFiles();
    CLIPMILL_CHECK(io::checkOutput(asset_, path));
    if (io::isConversion(asset_, path)) {
      const io::ConversionKeys keys{output_.keys == KeysMode::kAll, output_.key_tolerance_mm,
                                    output_.fps.value_or(0.0), options_.threads};
      auto converted = io::convertedAsset(asset_, path, keys, load);
      if (!converted) return within(input.string(), converted.error());
      asset_ = std::move(*converted);
    }
    report_.warnings = asset_.scene.warnings;
    return {};
  }

  Status prepare() {
    target_.emplace(clipTargetOf(asset_.scene));
    names_.emplace(asset_.scene);
    transfer_.map = settings_.map;
    transfer_.feet = settings_.feet;
    transfer_.keep_hands = settings_.keep_hands;
    if (settings_.rest) {
      CLIPMILL_TRY(transfer_.rest, files_.load(*settings_.rest));
      report_.files.push_back({*settings_.rest, transfer_.rest->content_hash});
    }
    if (settings_.penetration && !settings_.self_collision) {
      auto skin = penetration::SelfPenetration::make(asset_.scene, target_->map);
      if (skin) skin_.emplace(std::move(*skin));
    }
    if (settings_.root_motion != MergedRootMotion::kKeep) {
      CLIPMILL_TRY(RecipeStage root, makeStage("root", ""));
      using stages::edit::RootMotionMode;
      static_cast<stages::edit::RootSettings*>(root.settings.get())->root_motion =
          settings_.root_motion == MergedRootMotion::kInPlace ? RootMotionMode::kInPlace
                                                              : RootMotionMode::kExtract;
      recipe_.stages.push_back(std::move(root));
    }
    if (settings_.self_collision) {
      transfer_.find_contacts = settings_.contacts_from == ContactsFrom::kSource;
      CLIPMILL_TRY(RecipeStage stage, makeStage("self-collision", ""));
      recipe_.stages.push_back(std::move(stage));
    }
    recipe_.output = output_;
    return {};
  }

  // Files of a block are read and retargeted side by side. What depends on those before them is
  // done in their order.
  Status addFiles(std::span<const std::string> paths) {
    std::vector<ClipFile> files(paths.size());
    parallelFor(paths.size(), 1, options_.threads, [&](std::size_t i, std::size_t) {
      files[i].path = paths[i];
      files[i].status = readFile(files[i]);
    });
    std::vector<MovingClip> clips;
    contacts_.clear();
    for (ClipFile& file : files) {
      CLIPMILL_CHECK(keepFile(file));
      std::move(file.clips.begin(), file.clips.end(), std::back_inserter(clips));
    }
    return keepClips(clips);
  }

  Status readFile(ClipFile& file) const {
    // The skin of the feet shows where the ground is.
    const bool with_meshes =
        settings_.feet != locomotion::FeetPolicy::kOff || transfer_.find_contacts;
    CLIPMILL_TRY(file.asset, io::load(file.path, {with_meshes, options_.limits, arrays_}));
    if (file.asset.scene.clips.empty()) {
      return Error{ErrorCode::kNotFound, file.path, "has no clips", "use a file with animation"};
    }
    CLIPMILL_TRY(const ClipTransfer transfer, ClipTransfer::make(file.asset, *target_, transfer_));
    for (std::size_t c = 0; c < file.asset.scene.clips.size(); ++c) {
      const int clip = static_cast<int>(c);
      CLIPMILL_TRY(CarriedClip carried,
                   transfer.carry(clip, output_.fps.value_or(0.0), options_.limits));
      MovingClip moving;
      moving.name =
          mergedName(settings_.names, settings_.strip_prefix.value_or(""), file.asset, clip);
      moving.note = std::move(carried.clip.note);
      moving.mapping = std::move(carried.mapping);
      moving.motion = std::move(carried.clip.motion);
      moving.report.type = "merge";
      moving.report.metrics = std::move(carried.metrics);
      moving.report.warnings = std::move(carried.clip.warnings);
      moving.contacts = std::move(carried.contacts);
      file.clips.push_back(std::move(moving));
    }
    return {};
  }

  // Its name, and what the report has of it.
  Status keepFile(ClipFile& file) {
    if (!file.status) {
      if (!settings_.keep_going) return file.status;
      report_.warnings.add("file_left_out", "a file of clips is left out",
                           describe(file.status.error()));
      file.clips.clear();
      return {};
    }
    for (const Warning& warning : file.asset.scene.warnings.all()) {
      report_.warnings.add(warning.code, warning.text, file.path + ": " + warning.first,
                           warning.count);
    }
    report_.files.push_back({file.path, file.asset.content_hash});
    report_.read_files.emplace_back(file.path);
    const auto referenced = file.asset.document->referencedFiles();
    report_.read_files.insert(report_.read_files.end(), referenced.begin(), referenced.end());
    NotesOfClips notes;
    for (MovingClip& clip : file.clips) {
      const std::string wanted = clip.name;
      clip.name = names_->unique(wanted);
      if (clip.name != wanted) {
        report_.warnings.add("clip_renamed", "a clip has the name of another one, and is numbered",
                             file.path + ": " + clip.name);
      }
      clip.motion.clip_name = clip.name;
      if (clip.contacts) {
        clip.contacts->clip = clip.name;
        contacts_.push_back(std::move(*clip.contacts));
      }
      notes.add(clip.name, clip.note);
      addMapping(file.path, std::move(clip.mapping), report_.mappings);
    }
    const auto lines = notes.lines(file.path);
    report_.notes.insert(report_.notes.end(), lines.begin(), lines.end());
    file.asset = {};
    return {};
  }

  // Puts the clips into the scene, runs the stages over them, and keeps their keys.
  Status keepClips(std::vector<MovingClip>& clips) {
    std::vector<int> indices;
    for (MovingClip& clip : clips) indices.push_back(appendClip(clip));
    std::vector<Motion> motions;
    for (const int index : indices) {
      CLIPMILL_TRY(
          std::vector<Motion> sampled,
          sampleClips(asset_.scene, {index}, output_.fps.value_or(0.0), 1, options_.limits));
      sampled[0].modified = asset_.scene.clips[toSize(index)].animated;
      motions.push_back(std::move(sampled[0]));
    }
    std::vector<ClipReport> reports = reportsOf(clips, motions);
    CLIPMILL_CHECK(runStagesOn(motions, reports));
    measurePenetration(motions, reports);
    std::vector<io::ClipEdit> edits =
        keysToWrite(asset_.scene, output_, {}, motions, options_.threads, reports);
    for (io::ClipEdit& edit : edits) {
      has_clips_ = true;
      if (!options_.dry_run) CLIPMILL_CHECK(saver_->add(std::move(edit)));
    }
    std::move(reports.begin(), reports.end(), std::back_inserter(report_.clips));
    // The keys to write are all that is needed of them from here on.
    for (const int index : indices) asset_.scene.clips[toSize(index)].source = nullptr;
    return {};
  }

  // A node that a clip before it moves is keyed at rest: see transferClip().
  int appendClip(MovingClip& clip) {
    Scene& scene = asset_.scene;
    Motion motion = std::move(clip.motion);
    for (const Clip& other : scene.clips) {
      for (std::size_t n = 0; n < motion.node_count; ++n) {
        for (const TrackPath path :
             {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale}) {
          const int node = static_cast<int>(n);
          if (other.animated.has(node, path)) motion.modified.set(node, path);
        }
      }
    }
    scene.clips.push_back(retarget::clipOf(scene.skeleton, motion));
    return static_cast<int>(scene.clips.size()) - 1;
  }

  static std::vector<ClipReport> reportsOf(std::vector<MovingClip>& clips,
                                           std::span<const Motion> motions) {
    std::vector<ClipReport> reports(clips.size());
    for (std::size_t i = 0; i < clips.size(); ++i) {
      reports[i].clip = clips[i].name;
      reports[i].index = motions[i].clip_index;
      reports[i].fps = motions[i].grid.fps;
      reports[i].frames = motions[i].grid.frame_count;
      reports[i].stages.push_back(std::move(clips[i].report));
    }
    return reports;
  }

  Status runStagesOn(std::vector<Motion>& motions, std::vector<ClipReport>& reports) {
    if (recipe_.stages.empty()) return {};
    CLIPMILL_TRY(const ResolvedRecipe resolved, resolveStages(asset_.scene, motions, recipe_));
    const double max_bytes = static_cast<double>(options_.limits.max_decoded_bytes);
    const StageContext context{resolved,
                               files_,
                               options_.threads,
                               max_bytes,
                               [](std::size_t) { return checkInterrupt(); },
                               &contacts_};
    const std::shared_ptr<const Scene> scene(std::shared_ptr<void>(), &asset_.scene);
    StageState state{scene, std::move(motions), std::move(reports), {}};
    CLIPMILL_CHECK(runStages(context, 0, recipe_.stages.size(), nullptr, state));
    motions = std::move(state.motions);
    reports = std::move(state.clips);
    return {};
  }

  void measurePenetration(std::span<const Motion> motions, std::vector<ClipReport>& reports) const {
    if (!skin_) return;
    parallelFor(motions.size(), 1, options_.threads, [&](std::size_t i, std::size_t) {
      const measure::DepthMeasures depth =
          measure::measureLimbPenetration(asset_.scene, motions[i], *skin_).all;
      std::vector<Metric>& metrics = reports[i].stages.front().metrics;
      metrics.push_back(
          {"penetrating_frames_percent", std::nullopt, depth.penetrating_frames_percent});
      metrics.push_back({"max_penetration_percent", std::nullopt, depth.max_penetration_percent});
    });
  }

  Status noClips(const std::vector<std::string>& files) const {
    return Error{ErrorCode::kNotFound, files.empty() ? "" : files.front(),
                 "and the other files gave no clip", "see the warnings of the report"};
  }

  Status save() {
    const auto loss = saver_->save(output_.compact);
    if (!loss) return loss.error();
    report_.warnings.merge(*loss);
    report_.written = true;
    return {};
  }

  const MergeSettings& settings_;
  const OutputSettings& output_;
  const io::ArraySettings& arrays_;
  const RunOptions& options_;
  RunReport& report_;
  AuxiliaryFiles files_;
  io::Asset asset_;
  std::vector<retarget::ClipContacts> contacts_;  // of the clips of a block
  std::optional<ClipTarget> target_;
  std::optional<ClipNames> names_;
  std::optional<penetration::SelfPenetration> skin_;
  TransferSettings transfer_;
  Recipe recipe_;
  std::optional<io::ClipSaver> saver_;
  bool has_clips_ = false;
};

}  // namespace

Status mergeFiles(const std::filesystem::path& input, const std::vector<std::string>& files,
                  const MergeSettings& settings, const OutputSettings& output_settings,
                  const io::ArraySettings& arrays, const std::filesystem::path& output,
                  const RunOptions& options, RunReport& report) {
  report.input = input.string();
  report.output = output.string();
  return reportedRun(report, [&] {
    return Merge(settings, output_settings, arrays, options, report).run(input, files, output);
  });
}

}  // namespace clipmill::pipeline
