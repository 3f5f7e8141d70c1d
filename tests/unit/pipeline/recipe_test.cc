// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/recipe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/text.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/registry.h"
#include "temporary_folder.h"

TEST_SUITE_BEGIN("pipeline.recipe");

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using Json = nlohmann::json;

Recipe good(std::string_view text) {
  auto recipe = parseRecipe(text, "r");
  CHECK_OK(recipe);
  return std::move(*recipe);
}

std::string refused(std::string_view text) {
  const auto recipe = parseRecipe(text, "r");
  REQUIRE(!recipe.ok());
  CHECK(recipe.error().code == ErrorCode::kRecipe);
  const std::string sentence = describe(recipe.error());
  for (char c : sentence) CHECK(static_cast<unsigned char>(c) >= 0x20);
  return sentence;
}

const DynamicBonesSettings& bonesOf(const Recipe& recipe, std::size_t stage = 0) {
  return *static_cast<const DynamicBonesSettings*>(recipe.stages.at(stage).settings.get());
}

constexpr const char* kStage = "[[stage]]\ntype = \"dynamic-bones\"\n";
constexpr const char* kChain = "[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\n";

// A recipe with every stage and one item in each of its lists.
Recipe fullRecipe() {
  Recipe recipe;
  for (const StageType& type : stageTypes()) {
    RecipeStage stage{&type, type.make_settings()};
    for (const SettingList& list : type.settings->lists) list.append(stage.settings.get());
    recipe.stages.push_back(std::move(stage));
  }
  return recipe;
}

// Another valid value of a field.
SettingValue changedValue(const SettingField& field, const std::optional<SettingValue>& given) {
  if (!given) {
    if (field.kind == SettingKind::kText) return std::string("x");
    return *parseValue(field, numberText(std::isfinite(field.min) ? field.min : 0.5), field.name);
  }
  const SettingValue& now = *given;
  const auto other = [&](double number) {
    const double low = std::isfinite(field.min) ? field.min : 0.0;
    return number == low ? std::min(low + 0.125, field.max) : low;
  };
  switch (field.kind) {
    case SettingKind::kBool:
      return !std::get<bool>(now);
    case SettingKind::kInteger: {
      const std::int64_t number = std::get<std::int64_t>(now);
      return number + (static_cast<double>(number) < field.max ? 1 : -1);
    }
    case SettingKind::kNumber:
      return other(std::get<double>(now));
    case SettingKind::kText:
      return std::get<std::string>(now) + "x";
    case SettingKind::kChoice:
      return std::get<std::string>(now) == field.choices[0] ? field.choices[1] : field.choices[0];
    case SettingKind::kNumbers: {
      auto numbers = std::get<std::vector<double>>(now);
      if (numbers.empty()) numbers.assign(std::max<std::size_t>(field.size, 1), 0.0);
      numbers[0] += 0.5;
      return numbers;
    }
    case SettingKind::kTexts:
      return std::vector<std::string>{"other", "texts"};
    case SettingKind::kCurve:
      return Curve({{0.0, std::get<Curve>(now).points[0].value}, {0.5, field.max}});
  }
  return now;
}

// Calls `visit` for every field of a recipe, with the struct that holds it.
void forEachField(Recipe& recipe, const std::function<void(const SettingField&, void*)>& visit) {
  for (const SettingField& field : inputTable().fields) visit(field, &recipe.input);
  for (const SettingField& field : outputTable().fields) visit(field, &recipe.output);
  for (RecipeStage& stage : recipe.stages) {
    for (const SettingField& field : stage.type->settings->fields) {
      visit(field, stage.settings.get());
    }
    for (const SettingList& list : stage.type->settings->lists) {
      void* item = const_cast<void*>(list.at(stage.settings.get(), 0));
      for (const SettingField& field : list.item->fields) visit(field, item);
    }
  }
}

}  // namespace

TEST_CASE("An empty recipe has the defaults and no stage") {
  for (const char* text : {"", "\n# nothing\n", "{}", " {\"stage\": []}"}) {
    const Recipe recipe = good(text);
    CHECK(recipe.stages.empty());
    CHECK(recipe.output.keys == KeysMode::kReduced);
    CHECK(recipe.output.key_tolerance_mm == 0.1);
  }
}

TEST_CASE("TOML and JSON of one recipe are the same recipe") {
  const Recipe toml = good(
      "[output]\nkeys = \"all\"\nfps = 60\n[[stage]]\ntype = \"dynamic-bones\"\nmethod = "
      "\"reference\"\nwind_mps2 = [1, 2.5, 0]\n[[stage.chain]]\nroot = \"Tail*\"\nstop = \"End\"\n"
      "drag = [[0, 0.1], [1.0, 0.4]]\ngravity_mps2 = -5\nkeep_root = true\n");
  const Recipe json = good(
      R"({"output": {"keys": "all", "fps": 60}, "stage": [{"type": "dynamic-bones",
          "method": "reference", "wind_mps2": [1, 2.5, 0], "chain": [{"root": "Tail*",
          "stop": ["End"], "drag": [[0, 0.1], [1, 0.4]], "gravity_mps2": -5.0,
          "keep_root": true}]}]})");
  CHECK(recipeToml(toml, false) == recipeToml(json, false));
  CHECK(recipeHash(toml) == recipeHash(json));
  const DynamicBonesSettings& bones = bonesOf(toml);
  CHECK(bones.method == DynamicBonesMethod::kReference);
  CHECK(bones.chain.at(0).stop == std::vector<std::string>{"End"});
  CHECK(bones.chain.at(0).drag.at(0.5) == doctest::Approx(0.25));
  CHECK(bones.chain.at(0).keep_root);
}

TEST_CASE("An unknown key is named by its dotted path with the nearest one that exists") {
  CHECK(refused("[output]\nkey = 1\n") == "r: output.key: unknown key; did you mean 'keys'?");
  CHECK(refused("[outptu]\n") == "r: outptu: unknown key; did you mean 'output'?");
  CHECK(refused(std::string(kStage) + "metod = \"spring\"\n") ==
        "r: stage[0].metod: unknown key; did you mean 'method'?");
  CHECK(refused(std::string(kStage) + kChain + "root = \"a\"\n[[stage.chain]]\nrot = \"b\"\n") ==
        "r: stage[1].chain[1].rot: unknown key; did you mean 'root'?");
  CHECK(refused("[[stage]]\ntype = \"dynamic-bone\"\n").find("did you mean 'dynamic-bones'?") !=
        std::string::npos);
  CHECK(refused("[[stage]]\nmethod = \"spring\"\n").find("r: stage[0]: has no 'type'") == 0);
}

TEST_CASE("Values out of bounds or of the wrong kind are refused by path") {
  CHECK(refused("[output]\nfps = -1\n") == "r: output.fps: is -1, outside 0.001 to 1000 Hz");
  CHECK(refused("[output]\nfps = 1000.5\n").find("outside 0.001 to 1000") != std::string::npos);
  CHECK(refused("[output]\nfps = nan\n").find("is nan") != std::string::npos);
  CHECK(refused("[output]\nfps = inf\n").find("is inf") != std::string::npos);
  for (const char* line : {"fps = \"60\"", "fps = true", "fps = [60]", "fps = {a = 1}", "keys = 1",
                           "keys = \"some\"", "fps = 1979-05-27"}) {
    CHECK(refused("[output]\n" + std::string(line) + "\n").find("r: output.") == 0);
  }
  for (const char* line : {"seed = 1.5", "seed = -1", "wind_mps2 = [1, 2]", "wind_mps2 = 1",
                           "wind_mps2 = [1, 2, \"3\"]", "wind_mps2 = [1, 2, inf]", "chain = 5",
                           "chain = [5]", "method = \"none\"", "smoothing = 0"}) {
    CAPTURE(line);
    CHECK(refused(kStage + std::string(line) + "\n").find("r: stage[0].") == 0);
  }
  for (const char* line :
       {"root = 1", "stop = [1]", "keep_root = 1", "drag = [[0.5, 0.1], [0.2, 0.1]]",
        "drag = [[0, 2]]", "drag = []", "drag = [[2, 0.1]]", "drag = [0, 0.1]"}) {
    CAPTURE(line);
    CHECK(refused(kChain + std::string(line) + "\n").find("r: stage[0].chain[0].") == 0);
  }
}

TEST_CASE("A whole number beyond 63 bits is a large number, not a negative one") {
  CHECK(refused(R"({"stage": [{"type": "dynamic-bones", "chain": [
                    {"gravity_mps2": 18446744073709551615}]}]})")
            .find("is 1844674407370955") != std::string::npos);
  refused(R"({"stage": [{"type": "dynamic-bones", "seed": 18446744073709551615}]})");
}

TEST_CASE("Texts that are no recipe are an error with one line and a location") {
  CHECK(refused("[output\n").find("r:") == 0);
  CHECK(refused("a = 1\nb = = 2\n").find("r:2: is not valid TOML") == 0);
  CHECK(refused("{\"output\": ").find("r: is not valid JSON: parse error at line 1") == 0);
  refused("stage = 5");
  refused("stage = [5]");
  refused("output = 5");
  refused("\xff\xfe");
  refused("{\"a\": \"" + std::string(100000, 'x'));
  refused("a = " + std::string(100000, '['));
  CHECK(refused("\"a\\nb\" = 1\n").find('\n') == std::string::npos);
}

TEST_CASE("--set changes one value in all stages that have it") {
  Recipe recipe = good(std::string(kChain) + "[[stage.chain]]\n" + kStage);
  CHECK_OK(setInRecipe(recipe, "output.keys=all"));
  CHECK(recipe.output.keys == KeysMode::kAll);
  CHECK_OK(setInRecipe(recipe, "dynamic-bones.method=reference"));
  CHECK(bonesOf(recipe, 0).method == DynamicBonesMethod::kReference);
  CHECK(bonesOf(recipe, 1).method == DynamicBonesMethod::kReference);
  CHECK_OK(setInRecipe(recipe, "dynamic-bones.seed=7"));
  CHECK(bonesOf(recipe).seed == 7);
  Recipe chains = good(std::string(kChain) + "[[stage.chain]]\n");
  CHECK_OK(setInRecipe(chains, "dynamic-bones.chain.drag=0:0.1,1:0.5"));
  CHECK(bonesOf(chains).chain[1].drag.at(0.5) == doctest::Approx(0.3));
  CHECK_OK(setInRecipe(chains, "dynamic-bones.chain.stop=a, b"));
  CHECK(bonesOf(chains).chain[0].stop == std::vector<std::string>{"a", "b"});
  for (const char* bad :
       {"", "=", "output", "output.keys", "keys=all", "output.keys=none", "output.kys=all",
        "stretch.x=1", "dynamic-bones.seed=x", "dynamic-bones.=1",
        "dynamic-bones.collider.radius_m=1", "dynamic-bones.chain.drag=0:,1"}) {
    CAPTURE(bad);
    const Status set = setInRecipe(chains, bad);
    REQUIRE(!set.ok());
    CHECK(set.error().code == ErrorCode::kRecipe);
    CHECK(set.error().location.find("--set") == 0);
  }
}

TEST_CASE("A flag adds an item by its key or by names") {
  Recipe recipe = good(kStage);
  const SettingList& list = *recipe.stages[0].type->settings->list("chain");
  CHECK_OK(addFromText(list, recipe.stages[0].settings.get(), "Tail*", "--chain"));
  CHECK_OK(addFromText(list, recipe.stages[0].settings.get(),
                       "root=Hair; drag = 0.2 ;keep_root=true", "--chain"));
  const auto& chains = bonesOf(recipe).chain;
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].root == "Tail*");
  CHECK(chains[1].root == "Hair");
  CHECK(chains[1].drag.at(0.0) == 0.2);
  CHECK(chains[1].keep_root);
  const auto bad = addFromText(list, recipe.stages[0].settings.get(), "rot=a", "--chain");
  REQUIRE(!bad.ok());
  CHECK(describe(bad.error()) == "--chain.rot: unknown key; did you mean 'root'?");
}

TEST_CASE("A dumped recipe reads back as the same recipe, with and without comments") {
  Recipe recipe = fullRecipe();
  forEachField(recipe, [](const SettingField& field, void* settings) {
    field.set(settings, *checkedValue(field, changedValue(field, field.get(settings)), field.name));
  });
  const std::string text = recipeToml(recipe, false);
  CHECK(recipeToml(good(text), false) == text);
  CHECK(recipeToml(good(recipeToml(recipe, true)), false) == text);
  CHECK(text != recipeToml(fullRecipe(), false));
}

TEST_CASE("Texts of any characters survive the dump") {
  for (const char* word : {"a\"b\\c", "tab\tnewline\n", "\x01\x1f\x7f",
                           "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80", "'''\"\"\"", "# no comment"}) {
    Recipe recipe = good(kChain);
    const auto& list = *recipe.stages[0].type->settings->list("chain");
    void* item = const_cast<void*>(list.at(recipe.stages[0].settings.get(), 0));
    list.item->field("root")->set(item, std::string(word));
    CHECK(bonesOf(good(recipeToml(recipe, true))).chain.at(0).root == word);
  }
  Recipe odd = good(kChain);
  const auto& list = *odd.stages[0].type->settings->list("chain");
  CHECK_OK(addFromText(list, odd.stages[0].settings.get(), "no UTF-8: \xff", "--chain"));
  CHECK_OK(parseRecipe(recipeToml(odd, false), "r"));
}

TEST_CASE("The hash changes with each value and with nothing else") {
  std::set<std::string> hashes = {recipeHash(fullRecipe())};
  std::size_t count = 0;
  Recipe counted = fullRecipe();
  forEachField(counted, [&](const SettingField&, void*) { ++count; });
  for (std::size_t i = 0; i < count; ++i) {
    Recipe recipe = fullRecipe();
    std::size_t at = 0;
    forEachField(recipe, [&](const SettingField& field, void* settings) {
      if (at++ == i) {
        field.set(settings,
                  *checkedValue(field, changedValue(field, field.get(settings)), field.name));
      }
    });
    hashes.insert(recipeHash(recipe));
  }
  CHECK(hashes.size() == count + 1);
  CHECK(recipeHash(good("[output]\nfps=60 # frames")) ==
        recipeHash(good("{\"output\":{\"fps\":60.0}}")));
}

TEST_CASE("Texts that are displayed alike have different hashes") {
  std::set<std::string> hashes;
  for (const char* name : {"a\xfe", "a\xff", "a\xef\xbf\xbd"}) {
    Recipe recipe = good(kChain);
    const auto& list = *recipe.stages[0].type->settings->list("chain");
    CHECK_OK(addFromText(list, recipe.stages[0].settings.get(), name, "--chain"));
    hashes.insert(recipeHash(recipe));
  }
  CHECK(hashes.size() == 3);
}

TEST_CASE(
    "The schema is JSON that lists every key with its meaning, and its default if it has one") {
  const Json schema = Json::parse(recipeSchema());
  const Json& output = schema["properties"]["output"]["properties"];
  for (const SettingField& field : outputTable().fields) {
    CHECK(output[field.name].contains("description"));
    CHECK(output[field.name].contains("default") == !field.is_optional);
  }
  const Json& stages = schema["properties"]["stage"]["items"]["oneOf"];
  REQUIRE(stages.size() == stageTypes().size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageType& type = stageTypes()[i];
    CHECK(stages[i]["properties"]["type"]["const"] == type.name);
    for (const SettingField& field : type.settings->fields) {
      CHECK(stages[i]["properties"][field.name].contains("default") == !field.is_optional);
    }
    for (const SettingList& list : type.settings->lists) {
      const Json& items = stages[i]["properties"][list.name]["items"]["properties"];
      for (const SettingField& field : list.item->fields) {
        CHECK(items[field.name].contains("default") == !field.is_optional);
      }
    }
  }
}

TEST_CASE(
    "an optional setting is in the text of a recipe only where it is set, and has no default") {
  Recipe recipe;
  const std::string unset = recipeToml(recipe, false);
  CHECK(unset.find("fps") == std::string::npos);
  recipe.output.fps = 24.0;
  const std::string set = recipeToml(recipe, false);
  CHECK(set.find("fps = 24.0\n") != std::string::npos);
  CHECK(good(set).output.fps == 24.0);
  CHECK(recipeHash(good(unset)) != recipeHash(recipe));
  const auto output = nlohmann::json::parse(recipeSchema())["properties"]["output"]["properties"];
  CHECK(!output["fps"].contains("default"));
  CHECK(output["key_tolerance_mm"].contains("default"));
}

TEST_CASE("A recipe's file is named in its errors") {
  const test::TemporaryFolder folder;
  CHECK_OK(loadRecipe(folder.write("r.toml", {})));
  const auto none = loadRecipe(folder / "none.toml");
  REQUIRE(!none.ok());
  CHECK(none.error().code == ErrorCode::kRecipe);
  CHECK(describe(none.error()).find(folder.text("none.toml")) == 0);
}
