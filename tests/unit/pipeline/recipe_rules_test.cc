// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/recipe_rules.h"

#include "checks.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stretch/settings.h"

TEST_SUITE_BEGIN("pipeline.recipe_rules");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::stages::stretch;

constexpr const char* kBase =
    "[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\nroot = \"Tail*\"\nfrequency_hz = 2\n"
    "[[stage.chain]]\nroot = \"Hair*\"\nfrequency_hz = 5\n"
    "[[stage]]\ntype = \"stretch\"\ndistance_m = 3\n";

Recipe good(const std::string& rules) {
  auto recipe = parseRecipe(kBase + rules, "r");
  CHECK_OK(recipe);
  return std::move(*recipe);
}

std::string refused(const std::string& rules) {
  const auto recipe = parseRecipe(kBase + rules, "r.toml");
  REQUIRE(!recipe.ok());
  CHECK(recipe.error().code == ErrorCode::kRecipe);
  return describe(recipe.error());
}

Recipe of(const Recipe& recipe, const char* name) {
  auto resolved = recipeFor(recipe, name);
  CHECK_OK(resolved);
  CHECK(resolved->rules.empty());
  return std::move(*resolved);
}

double distanceOf(const Recipe& recipe) {
  return static_cast<const StretchSettings*>(recipe.stages.at(1).settings.get())->distance_m.at(0);
}

const DynamicBonesSettings& bonesOf(const Recipe& recipe) {
  return *static_cast<const DynamicBonesSettings*>(recipe.stages.at(0).settings.get());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A rule changes the files that its globs match and no other") {
  const Recipe recipe = good(
      "[[rule]]\nclips = \"*_leap_*\"\nset.\"stretch.distance_m\" = 4\n"
      "[[rule]]\nclips = [\"idle.glb\", \"slow/*\"]\nset.output.keys = \"all\"\n");
  CHECK(distanceOf(of(recipe, "walk.glb")) == 3.0);
  CHECK(distanceOf(of(recipe, "a_leap_1.glb")) == 4.0);
  CHECK(distanceOf(of(recipe, "sub/folder/a_leap_1.fbx")) == 4.0);
  CHECK(distanceOf(recipe) == 3.0);
  CHECK(of(recipe, "idle.glb").output.keys == KeysMode::kAll);
  CHECK(of(recipe, "slow/walk.glb").output.keys == KeysMode::kAll);
  CHECK(of(recipe, "b/idle.glb").output.keys == KeysMode::kReduced);
}

TEST_CASE("Of several rules the last one wins, key by key") {
  const Recipe recipe = good(
      "[[rule]]\nclips = \"*\"\nset.\"stretch.distance_m\" = 4\nset.\"output.fps\" = 60\n"
      "[[rule]]\nclips = \"a*\"\nset.\"stretch.distance_m\" = 5\n");
  const Recipe resolved = of(recipe, "a.glb");
  CHECK(distanceOf(resolved) == 5.0);
  CHECK(resolved.output.fps == 60.0);
  CHECK(distanceOf(of(recipe, "b.glb")) == 4.0);
}

TEST_CASE("Dotted keys, nested tables and JSON are equivalent, at any position of the rules") {
  const std::string dotted = recipeToml(
      good("[[rule]]\nclips = \"a\"\nset.\"dynamic-bones.chain.drag\" = [[0, 0.1], [1, 0.3]]\n"),
      false);
  CHECK(dotted == recipeToml(good("[[rule]]\nclips = [\"a\"]\n[rule.set.dynamic-bones.chain]\n"
                                  "drag = [[0, 0.1], [1, 0.3]]\n"),
                             false));
  const auto json = parseRecipe(
      R"({"rule": [{"set": {"stretch": {"distance_m": 7}}, "clips": "a*"}],
          "stage": [{"type": "stretch"}]})",
      "r");
  CHECK_OK(json);
  const auto resolved = recipeFor(*json, "a.glb");
  CHECK_OK(resolved);
  CHECK(static_cast<const StretchSettings*>(resolved->stages.at(0).settings.get())
            ->distance_m.at(0) == 7.0);
}

TEST_CASE("A key of a list's items is set in all of them, and lists stay as long as they are") {
  const Recipe recipe =
      good("[[rule]]\nclips = \"a\"\nset.\"dynamic-bones.chain.frequency_hz\" = 9\n");
  const Recipe resolved = of(recipe, "a");
  REQUIRE(bonesOf(resolved).chain.size() == 2);
  CHECK(bonesOf(resolved).chain[0].frequency_hz == Curve(9.0));
  CHECK(bonesOf(resolved).chain[1].frequency_hz == Curve(9.0));
  CHECK(bonesOf(resolved).chain[1].root == "Hair*");
  CHECK(bonesOf(of(recipe, "b")).chain[1].frequency_hz == Curve(5.0));
}

TEST_CASE("A key that a rule cannot set is an error with its dotted path") {
  const std::string rule = "[[rule]]\nclips = \"a\"\n";
  CHECK(contains(refused(rule + "set.\"stretch.distnace_m\" = 4\n"),
                 "r.toml: rule[0].set.stretch.distnace_m: unknown key; did you mean 'distance_m'"));
  CHECK(contains(refused(rule + "[rule.set.dynamic-bones.chain]\nfrequency = 4\n"),
                 "rule[0].set.dynamic-bones.chain.frequency: unknown key"));
  CHECK(contains(refused(rule + "set.\"strech.distance_m\" = 4\n"), "did you mean 'stretch'"));
  CHECK(contains(refused(rule + "set.\"tet-bake.method\" = \"pbd\"\n"), "has no stage 'tet-bake'"));
  CHECK(contains(refused(rule + "set.\"output.fps\" = -1\n"), "rule[0].set.output.fps"));
  CHECK(contains(refused(rule + "set.\"output.fps\" = \"x\"\n"), "needs a number"));
  CHECK(contains(refused(rule + "set.output = 1\n"), "names no key"));
  CHECK(contains(refused(rule + "set.\"dynamic-bones.chain\" = 1\n"), "is a list"));
  CHECK(contains(refused(rule + "set.\"dynamic-bones.collider.radius_m\" = 1\n"),
                 "sets nothing: the recipe has no 'collider'"));
  CHECK(contains(refused(rule + "set.\"output.fps\" = 1\nset.output.fps = 2\n"), "set twice"));
}

TEST_CASE("A rule without clips or without settings is an error") {
  CHECK(
      contains(refused("[[rule]]\nset.\"output.fps\" = 1\n"), "rule[0]: has no files to apply to"));
  CHECK(contains(refused("[[rule]]\nclips = 3\nset.\"output.fps\" = 1\n"), "rule[0].clips"));
  CHECK(contains(refused("[[rule]]\nclips = []\nset.\"output.fps\" = 1\n"), "rule[0]"));
  CHECK(contains(refused("[[rule]]\nclips = \"a\"\n"), "rule[0]: sets nothing"));
  CHECK(contains(refused("[[rule]]\nclip = \"a\"\n"), "did you mean 'clips'"));
  CHECK(contains(refused("[rule]\nclips = \"a\"\n"), "write [[rule]]"));
}

TEST_CASE("A table with too many levels is an error") {
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "{\"a\":";
  const std::string text =
      "{\"rule\": [{\"clips\": \"a\", \"set\": " + nested + "1" + std::string(100000, '}') + "}]}";
  CHECK(!parseRecipe(text, "r"));
}

TEST_CASE("A flag overrides rules") {
  Recipe recipe = good("[[rule]]\nclips = \"*\"\nset.\"stretch.distance_m\" = 4\n");
  CHECK_OK(setInRecipe(recipe, "stretch.distance_m=6"));
  CHECK(distanceOf(of(recipe, "a")) == 6.0);
  CHECK(contains(explainRules(recipe, "a"), "# overridden by --set stretch.distance_m"));
}

TEST_CASE("Rules are the same after they are dumped and read") {
  const Recipe recipe = good(
      "[[rule]]\nclips = [\"a\\\"*\", \"b\"]\nset.\"output.keys\" = \"all\"\n"
      "set.\"dynamic-bones.chain.stop\" = [\"x\", \"y\"]\nset.\"stretch.distance_m\" = 5\n");
  const std::string text = recipeToml(recipe, true);
  const auto again = parseRecipe(text, "r");
  CHECK_OK(again);
  CHECK(recipeToml(*again, true) == text);
  CHECK(recipeHash(*again) == recipeHash(recipe));
}

TEST_CASE("The hash of a file's recipe changes only with the rules that apply to it") {
  const Recipe one = good("[[rule]]\nclips = \"a*\"\nset.\"stretch.distance_m\" = 4\n");
  const Recipe two = good("[[rule]]\nclips = \"a*\"\nset.\"stretch.distance_m\" = 5\n");
  CHECK(recipeHash(of(one, "a")) != recipeHash(of(two, "a")));
  CHECK(recipeHash(of(one, "b")) == recipeHash(of(two, "b")));
  CHECK(recipeHash(of(one, "b")) == recipeHash(of(good(""), "b")));
}

TEST_CASE("The explanation lists the rules that apply, their values, and which are overridden") {
  const Recipe recipe = good(
      "[[rule]]\nclips = \"*\"\nset.\"stretch.distance_m\" = 4\n"
      "[[rule]]\nclips = \"b*\"\nset.\"output.fps\" = 60\n"
      "[[rule]]\nclips = [\"x\", \"a*\"]\nset.\"stretch.distance_m\" = 5\n");
  CHECK(explainRules(recipe, "a.glb") ==
        "a.glb\n"
        "  rule[0] (*)\n    stretch.distance_m = [4.0]  # overridden by rule[2]\n"
        "  rule[2] (x, a*)\n    stretch.distance_m = [5.0]\n");
  CHECK(explainRules(good(""), "a.glb") == "a.glb: no rule\n");
}

TEST_SUITE_END();
