// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/record_key.h"

#include <functional>
#include <set>

#include "batch/batch.h"
#include "checks.h"
#include "io/gltf/tiny_gltf.h"
#include "pipeline/recipe_rules.h"
#include "stages/registry.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("batch.record_key");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::batch;
using io::OutputFormat;

Recipe recipeOf(const std::string& text) {
  auto recipe = parseRecipe(text, "");
  CHECK_OK(recipe);
  return std::move(*recipe);
}

const char* const kTail = "[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\nroot = \"Tail\"\n";

std::string keyOf(const Recipe& recipe, const ResultVersions& versions = currentVersions(),
                  OutputFormat format = OutputFormat::kGltf, const BesideOutputs& beside = {},
                  const std::vector<std::string>& clips = {}) {
  return recordKey(recipe, format, clips, beside, versions);
}

ResultVersions changed(const std::function<void(ResultVersions&)>& change) {
  ResultVersions versions = currentVersions();
  change(versions);
  return versions;
}

}  // namespace

TEST_CASE("A key changes with the version of all that the output depends on") {
  const Recipe recipe = recipeOf(kTail);
  const std::string key = keyOf(recipe);
  CHECK(keyOf(recipe) == key);
  CHECK(keyOf(recipe, changed([](auto& v) { v.program += "x"; })) != key);
  CHECK(keyOf(recipe, changed([](auto& v) { ++v.key_reduction; })) != key);
  CHECK(keyOf(recipe, changed([](auto& v) { ++v.writers[OutputFormat::kGltf]; })) != key);
  CHECK(keyOf(recipe, changed([](auto& v) { ++v.stages["dynamic-bones"]; })) != key);
}

TEST_CASE("A key does not change with versions that the output does not depend on") {
  const Recipe recipe = recipeOf(kTail);
  const std::string key = keyOf(recipe);
  CHECK(keyOf(recipe, changed([](auto& v) { ++v.writers[OutputFormat::kFbx]; })) == key);
  CHECK(keyOf(recipe, changed([](auto& v) { ++v.stages["stretch"]; })) == key);
  // A page beside an FBX file holds GLB.
  const auto other = changed([](auto& v) { ++v.writers[OutputFormat::kGltf]; });
  const BesideOutputs pages{false, true};
  CHECK(keyOf(recipe, other, OutputFormat::kFbx) ==
        keyOf(recipe, currentVersions(), OutputFormat::kFbx));
  CHECK(keyOf(recipe, other, OutputFormat::kFbx, pages) !=
        keyOf(recipe, currentVersions(), OutputFormat::kFbx, pages));
}

TEST_CASE("Requests that differ in one setting, in texts alike, or in bytes have different keys") {
  const auto now = currentVersions();
  std::set<std::string> keys;
  std::size_t count = 0;
  const auto add = [&](const std::string& key) {
    keys.insert(key);
    ++count;
  };
  add(keyOf(recipeOf("")));
  add(keyOf(recipeOf(kTail)));
  add(keyOf(recipeOf(std::string(kTail) + kTail)));
  add(keyOf(recipeOf(std::string(kTail) + "frequency_hz = 2.5\n")));
  add(keyOf(recipeOf(std::string(kTail) + "frequency_hz = 2.5000000000000004\n")));
  add(keyOf(recipeOf("[output]\nfps = 30\n")));
  add(keyOf(recipeOf("[output]\nkeys = \"all\"\n")));
  add(keyOf(recipeOf(""), now, OutputFormat::kFbx));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {true, false}));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {false, true}));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {}, {"a", "b"}));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {}, {"a\nb"}));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {}, {"ab"}));
  // Bytes that are no UTF-8 look the same where they are shown.
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {}, {"\xFE"}));
  add(keyOf(recipeOf(""), now, OutputFormat::kGltf, {}, {"\xFF"}));
  Recipe other = recipeOf("");
  other.input.copy_as = "\xFE";
  add(keyOf(other));
  other.input.copy_as = "\xFF";
  add(keyOf(other));
  CHECK(keys.size() == count);
}

TEST_CASE("A file is done again when a version that it depends on is another") {
  const test::TemporaryFolder folder;
  const auto input = folder.write("a.glb", test::wavingGltf().glb());
  const std::vector<BatchJob> jobs = {{"a.glb", input, folder / "out/a.glb", "a.glb"}};
  const Recipe recipe = recipeOf("[[stage]]\ntype = \"rename\"\nto = \"Wave\"\n");
  const auto isKnown = [&](const ResultVersions& versions) {
    BatchOptions options;
    options.versions = versions;
    const auto results = runBatch(jobs, recipe, folder / "out", options);
    CHECK_OK(results);
    CHECK(results->at(0).status == JobStatus::kDone);
    return results->at(0).from_record;
  };
  CHECK(!isKnown(currentVersions()));
  CHECK(isKnown(currentVersions()));
  for (const auto& other : {changed([](auto& v) { ++v.key_reduction; }),
                            changed([](auto& v) { ++v.writers[OutputFormat::kGltf]; }),
                            changed([](auto& v) { ++v.stages["rename"]; })}) {
    CHECK(!isKnown(other));
    CHECK(isKnown(other));
  }
  CHECK(!isKnown(currentVersions()));
}

TEST_SUITE_END();
