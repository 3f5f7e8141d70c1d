// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "io/io.h"
#include "pipeline/check_report.h"
#include "pipeline/run.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

struct CheckOptions {
  CommonOptions common;
  std::string input;
  std::vector<std::string> clips;
  std::vector<double> maxima;  // one for each measure; NaN for no limit
  locomotion::ContactLimbs contact_limbs = locomotion::ContactLimbs::kFeet;
  ArrayFlags arrays;
  bool json = false;
};

// With meshes if they can be read; without them the measures that need none are still taken.
Result<io::Asset> loadForCheck(const CheckOptions& options, std::string& no_meshes) {
  CLIPMILL_TRY(const io::ArraySettings arrays, options.arrays.settings());
  auto with_meshes = io::load(options.input, {true, options.common.limits(), arrays});
  if (with_meshes) return with_meshes;
  no_meshes = with_meshes.error().message;
  return io::load(options.input, {false, options.common.limits(), arrays});
}

int runCheck(const CheckOptions& options) {
  options.common.applyLogLevel();
  std::string no_meshes;
  const auto asset = loadForCheck(options, no_meshes);
  if (!asset) return report(asset.error());
  const auto clips = pipeline::selectClips(asset->scene, options.clips);
  if (!clips) return report(within(options.input, clips.error()));
  auto check =
      measure::checkClips(asset->scene, *clips, options.common.limits(), options.contact_limbs);
  if (!check) return report(within(options.input, check.error()));
  check->file = options.input;
  if (!no_meshes.empty()) check->penetration_not_measured = no_meshes;

  measure::CheckLimits limits;
  for (const double maximum : options.maxima) {
    limits.push_back(maximum == maximum ? std::optional<double>(maximum) : std::nullopt);
  }
  const int printed = printPayload(options.json ? pipeline::checkJson(*check, limits)
                                                : pipeline::checkText(*check, limits));
  if (printed != kOk) return printed;
  const bool exceeds =
      std::any_of(check->clips.begin(), check->clips.end(), [&](const measure::ClipCheck& clip) {
        return !measure::exceededLimits(clip, limits).empty();
      });
  return exceeds ? kDiffers : kOk;
}

// "foot_skate_cm" becomes "--max-foot-skate-cm"; "max_speed_mps" becomes "--max-speed-mps".
std::string limitFlag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return (name.starts_with("max-") ? "--" : "--max-") + name;
}

}  // namespace

void addCheck(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check", "measure root motion, feet, knees, flight, loop seam and limb penetration of clips");
  command->add_option("FILE", options->input, "file to read")->required();
  command->add_option("--clip", options->clips,
                      "clip to measure: name, index or glob; repeatable; default: all clips");
  options->maxima.assign(measure::checkMeasures().size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < measure::checkMeasures().size(); ++m) {
    const measure::MeasureKind& kind = measure::checkMeasures()[m];
    command->add_option(
        limitFlag(kind.name), options->maxima[m],
        std::string("exit with 4 if above this value or not measured: ") + kind.doc);
  }
  const std::map<std::string, locomotion::ContactLimbs> names(std::begin(locomotion::kContactLimbs),
                                                              std::end(locomotion::kContactLimbs));
  command
      ->add_option_function<std::string>(
          "--contact-limbs",
          [options, names](const std::string& name) { options->contact_limbs = names.at(name); },
          "limbs that bear: hands (crawl, climb) and knees (crawl) by choice; default: feet")
      ->check(CLI::IsMember({"feet", "feet_hands", "feet_hands_knees"}));
  command->add_flag("--json", options->json, "print JSON");
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return runCheck(*options); }); });
}

}  // namespace clipmill::cli
