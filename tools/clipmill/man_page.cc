// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "man_page.h"

#include <algorithm>

#include "command.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"
#include "roff.h"
#include "stages/registry.h"

namespace clipmill::cli {
namespace {

bool sameFlag(const FlagText& a, const FlagText& b) { return a.names == b.names; }

bool has(const std::vector<FlagText>& flags, const FlagText& flag) {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const FlagText& other) { return sameFlag(flag, other); });
}

std::vector<FlagText> without(const std::vector<FlagText>& flags,
                              const std::vector<FlagText>& others) {
  std::vector<FlagText> left;
  for (const FlagText& flag : flags) {
    if (!has(others, flag)) left.push_back(flag);
  }
  return left;
}

std::string roffJoined(const std::vector<std::string>& texts, const std::string& between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

std::string roffNamesOf(const FlagText& flag) {
  std::vector<std::string> names;
  for (const std::string& name : flag.names) names.push_back(roffBold(name));
  return roffJoined(names, ", ");
}

std::string roffValueOf(const FlagText& flag) {
  if (flag.kind == ValueKind::kNone) return "";
  if (flag.kind != ValueKind::kWord) return " " + roffItalic(flag.value_name);
  std::vector<std::string> tokens;
  for (const std::string& word : flag.choices) tokens.push_back(roffBold(word));
  return " " + roffJoined(tokens, "|");
}

void addFlag(RoffPage& page, const FlagText& flag) {
  const std::string bounds = flag.bounds.empty() ? "" : " [" + flag.bounds + "]";
  page.item(roffNamesOf(flag) + roffValueOf(flag),
            roffText(flag.doc + bounds + (flag.is_required ? " (required)" : "")));
}

void addFlags(RoffPage& page, const std::vector<FlagText>& flags) {
  for (const FlagText& flag : flags) addFlag(page, flag);
}

void addArguments(RoffPage& page, const CommandText& command) {
  for (const FlagText& argument : command.arguments) {
    page.item(roffItalic(argument.names.front()), roffText(argument.doc));
  }
}

std::string usageOf(const CommandText& command) {
  std::string usage = "clipmill " + command.path;
  for (const FlagText& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.is_repeatable ? "..." : "");
    usage += argument.is_required ? " " + name : " [" + name + "]";
  }
  return usage;
}

bool isStage(const CommandText& command) { return stages::findStageType(command.path) != nullptr; }

// The flags that all commands have.
std::vector<FlagText> commonFlags(const std::vector<const CommandText*>& commands) {
  std::vector<FlagText> common = commands.front()->flags;
  for (const CommandText* command : commands) {
    std::erase_if(common, [&](const FlagText& flag) { return !has(command->flags, flag); });
  }
  return common;
}

void addCommands(RoffPage& page, const std::vector<const CommandText*>& commands,
                 const std::vector<FlagText>& common) {
  page.section("COMMANDS");
  page.paragraph(roffText("All commands have these flags:"));
  addFlags(page, common);
  for (const CommandText* command : commands) {
    if (isStage(*command)) continue;
    page.subsection(usageOf(*command));
    page.paragraph(roffText(command->summary + "."));
    addArguments(page, *command);
    addFlags(page, without(command->flags, common));
  }
}

const FlagText* flagOfKey(const CommandText& command, std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return command.flag("--" + key);
}

// `flag`: the flag with the same meaning, or null.
void addKey(RoffPage& page, const SettingField& field, const FlagText* flag,
            const std::string& default_text) {
  const std::string bounds = pipeline::settingBounds(field);
  std::string text = field.doc;
  if (!bounds.empty()) text += " (" + bounds + ")";
  if (!default_text.empty()) text += " (" + default_text + ")";
  std::string term = roffBold(field.name);
  if (flag) term += "   " + roffNamesOf(*flag);
  // Choices are part of the bounds.
  if (flag && flag->kind != ValueKind::kWord) term += roffValueOf(*flag);
  page.item(term, roffText(text));
}

// Keys of the list of that path, "stage.chain", with the flags of `command` that set them in all
// items; null where it has none.
void addList(RoffPage& page, const SettingList& list, void* defaults, const std::string& path,
             const CommandText* command) {
  void* item = list.append(defaults);
  for (const SettingField& field : list.item->fields) {
    const FlagText* flag = command ? flagOfKey(*command, field.name) : nullptr;
    addKey(page, field, flag, defaultText(field, item));
  }
  for (const SettingList& below : list.item->lists) {
    page.item(roffText("[[" + path + "." + below.name + "]]"), roffText(below.doc));
    addList(page, below, item, path + "." + below.name, nullptr);
  }
}

void addStage(RoffPage& page, const CommandText& command) {
  const stages::StageType& type = *stages::findStageType(command.path);
  const SettingsTable& table = *type.settings;
  const auto settings = type.make_settings();
  page.subsection(usageOf(command));
  page.paragraph(roffText(command.summary + "."));
  for (const SettingField& field : table.fields) {
    addKey(page, field, flagOfKey(command, field.name), defaultText(field, settings.get()));
  }
  CommandText flags_of_items = command;
  std::erase_if(flags_of_items.flags, [&](const FlagText& flag) {
    return std::any_of(table.fields.begin(), table.fields.end(), [&](const SettingField& field) {
      const FlagText* of_stage = flagOfKey(command, field.name);
      return of_stage && sameFlag(*of_stage, flag);
    });
  });
  for (const SettingList& list : table.lists) {
    const FlagText& flag = *flagOfKey(command, list.name);
    const bool has_flags = &list == &table.lists.front();
    page.item(
        roffText("[[stage." + list.name + "]]") + "   " + roffNamesOf(flag) + roffValueOf(flag),
        roffText(flag.doc +
                 (has_flags ? "; its keys are also flags, which set them in all items" : "")));
    addList(page, list, settings.get(), "stage." + list.name,
            has_flags ? &flags_of_items : nullptr);
  }
}

void addStages(RoffPage& page, const std::vector<const CommandText*>& commands) {
  const auto is_run = [](const CommandText* command) { return command->path == "run"; };
  const CommandText& run = **std::find_if(commands.begin(), commands.end(), is_run);
  page.section("STAGES");
  std::vector<std::string> missing;
  for (const CommandText* command : commands) {
    if (!isStage(*command)) continue;
    if (missing.empty()) {
      for (const FlagText& flag : without(run.flags, command->flags)) {
        missing.push_back(roffNamesOf(flag));
      }
      page.paragraph(roffText("Every stage is a command. It has the arguments and flags of ") +
                     roffBold("run") + roffText(" except ") + roffJoined(missing, ", ") +
                     roffText(", and the flags below. The first name of each flag is its key in a "
                              "recipe."));
    }
    addStage(page, *command);
  }
}

void addValues(RoffPage& page) {
  page.section("VALUES");
  page.item(roffItalic("NUMBER,..."), roffText("numbers or texts, separated by commas."));
  page.item(roffItalic("CURVE"),
            roffText("a number, or a curve along a chain, as DEPTH:VALUE separated by commas: "
                     "0:0.3,1:0.1. Depth 0 is the root of the chain, depth 1 its tip."));
  page.item(roffItalic(kSettingValueName),
            roffText("a key of a recipe, such as stretch.distance_m=5, "
                     "dynamic-bones.chain.damping_ratio=0.5 (for all chains) or output.keys=all."));
}

void addRecipes(RoffPage& page) {
  page.section("RECIPES");
  page.paragraph(
      roffText("A recipe is a TOML file, or JSON with the same keys. Each [[stage]] with a type "
               "is one stage; stages run in this order. [input] and [output] have the keys:"));
  pipeline::InputSettings input;
  pipeline::OutputSettings output;
  for (const SettingField& field : pipeline::inputTable().fields) {
    addKey(page, field, nullptr, defaultText(field, &input));
  }
  for (const SettingField& field : pipeline::outputTable().fields) {
    addKey(page, field, nullptr, defaultText(field, &output));
  }
  page.example(
      "[output]\nkeys = \"reduced\"\n\n"
      "[[stage]]\ntype = \"dynamic-bones\"\n"
      "[[stage.chain]]\nroot = \"Tail*\"\nfrequency_hz = 2.0\n\n"
      "[[stage]]\ntype = \"stretch\"\ndistance_m = 5.0");
  page.paragraph(roffBold("--dump-config") +
                 roffText(" of a stage prints a recipe with all its keys; ") +
                 roffBold("clipmill --schema") + roffText(" prints a JSON Schema for editors."));
}

void addEnvironment(RoffPage& page) {
  page.section("ENVIRONMENT");
  page.item(roffBold("CLIPMILL_IMPORT"),
            roffText("path of the helper program that reads formats with Assimp; default: the one "
                     "that is installed with clipmill."));
  page.item(roffBold("CLIPMILL_IMPORT_SECONDS"),
            roffText("time limit of that program for one file [s]."));
}

}  // namespace

std::string manPage(const Reference& reference, const std::string& date) {
  std::vector<const CommandText*> commands = allCommands(reference.program);
  commands.erase(commands.begin());  // the program itself

  RoffPage page("CLIPMILL", date, std::string("clipmill ") + pipeline::kProgramVersion);
  page.section("NAME");
  page.paragraph("clipmill \\- an offline mill for skeletal animation clips");
  page.section("SYNOPSIS");
  page.paragraph(roffBold("clipmill") + " " + roffItalic("COMMAND") + " [" + roffItalic("FLAG") +
                 "]...");
  page.section("DESCRIPTION");
  page.paragraph(roffText(
      "Reads an FBX, glTF, GLB, VRM or BVH file, runs the stages of a recipe on its clips, and "
      "writes the result as keyframes into a copy of the file. All other data stays as it "
      "is. Standard output has the requested data only. Outputs are written completely or "
      "not at all."));
  addFlags(page, reference.program.flags);
  addCommands(page, commands, commonFlags(commands));
  addStages(page, commands);
  addValues(page);
  addRecipes(page);
  page.section("EXIT STATUS");
  for (const ExitCodeText& exit : exitCodeTexts()) {
    page.item(roffBold(std::to_string(exit.code)), roffText(exit.meaning));
  }
  addEnvironment(page);
  page.section("EXAMPLES");
  page.example(
      "clipmill dynamic-bones humanoid.fbx -o swinging.fbx --chain Tail1\n"
      "clipmill stretch humanoid.glb -o leap5.glb --clip Leap --distance-m 5\n"
      "clipmill run humanoid.glb --recipe recipe.toml -o baked.glb --preview preview.html\n"
      "clipmill batch clips --recursive --recipe recipe.toml --out-dir baked");
  return page.text();
}

}  // namespace clipmill::cli
