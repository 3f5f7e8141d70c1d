// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// consumer IN OUT CLIP DISTANCE_M: stretches a clip and prints how far its figure gets then.
#include <cstdio>
#include <string>

#include "io/io.h"
#include "pipeline/check.h"
#include "pipeline/run.h"

namespace {

using namespace clipmill;

Result<double> wayAfterStretch(const std::string& input, const std::string& output,
                               const std::string& clip, const std::string& distance_m) {
  CLIPMILL_TRY(Recipe recipe,
               parseRecipe("[[stage]]\ntype = \"stretch\"\ndistance_m = " + distance_m, "recipe"));
  RunOptions options;
  options.clips = {clip};
  RunReport report;
  CLIPMILL_CHECK(runFile(input, recipe, output, options, report));

  CLIPMILL_TRY(const io::Asset asset, io::load(output, {true, options.limits}));
  CLIPMILL_TRY(const std::vector<int> clips, selectClips(asset.scene, {clip}));
  CLIPMILL_TRY(const FileCheck check, checkClips(asset.scene, clips, options.limits));
  return check.clips.front().of(CheckMeasure::kRootNet).value_or(-1.0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto way_m = wayAfterStretch(argv[1], argv[2], argv[3], argv[4]);
  if (!way_m) {
    std::fprintf(stderr, "%s\n", describe(way_m.error()).c_str());
    return 1;
  }
  std::printf("%.6f\n", *way_m);
  return 0;
}
