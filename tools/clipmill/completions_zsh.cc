// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Specifications as _arguments and _describe read them: zshcompsys(1).
#include <algorithm>

#include "completions.h"

namespace clipmill::cli {
namespace {

// Within single quotes, with a backslash before each of `special`.
std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '\\' || special.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string functionOf(const std::string& path) {
  std::string name = "_clipmill_" + path;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

std::string zshValueOf(const FlagText& flag) {
  const std::string message = ":" + escaped(flag.value_name, ":[]()") + ":";
  std::string tokens;
  switch (flag.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kNumber:
      return message + " ";
    case ValueKind::kText:
      return message + "_files";
    case ValueKind::kSetting:
      return message + "_clipmill_keys";
    case ValueKind::kWord:
      for (const std::string& word : flag.choices) tokens += (tokens.empty() ? "" : " ") + word;
      return ":word:(" + tokens + ")";
  }
  return "";
}

// One specification a name, each of which rules the others out unless the flag may be repeated.
std::string specificationsOf(const FlagText& flag) {
  std::string names, text;
  for (const std::string& name : flag.names) names += (names.empty() ? "" : " ") + name;
  for (const std::string& name : flag.names) {
    const bool has_equals = name.starts_with("--") && flag.kind != ValueKind::kNone;
    text += std::string(" \\\n    '") + (flag.is_repeatable ? "*" : "(" + names + ")") + name +
            (has_equals ? "=" : "") + "[" + escaped(flag.doc, ":[]") + "]" + zshValueOf(flag) + "'";
  }
  return text;
}

// A line for each command below, for _describe.
std::string commandList(const CommandText& command) {
  std::string text;
  for (const CommandText& below : command.commands) {
    text += "    '" + below.path.substr(below.path.rfind(' ') + 1) + ":" +
            escaped(below.summary, ":") + "'\n";
  }
  return text;
}

std::string argumentsCall(const CommandText& command) {
  std::string text = "  _arguments -s -S";
  for (const FlagText& flag : command.flags) text += specificationsOf(flag);
  if (!command.commands.empty()) {
    text += " \\\n    '1: :" + functionOf(command.path) + "_first'";
  }
  if (!command.arguments.empty()) text += " \\\n    '*:file:_files'";
  return text + "\n";
}

std::string commandFunction(const CommandText& command) {
  const std::string name = functionOf(command.path);
  std::string text;
  if (!command.commands.empty()) {
    text += name + "_first() {\n  local -a commands=(\n" + commandList(command) +
            "  )\n  _describe command commands\n" +
            (command.arguments.empty() ? "" : "  _files\n") + "}\n";
  }
  text += name + "() {\n";
  if (!command.commands.empty()) {
    // Tokens after a subcommand are completed by that subcommand.
    text += "  if (( CURRENT > 2 )); then\n    case $words[2] in\n";
    for (const CommandText& below : command.commands) {
      text += "      " + below.path.substr(below.path.rfind(' ') + 1) +
              ") shift words; (( CURRENT-- )); " + functionOf(below.path) + "; return ;;\n";
    }
    text += "    esac\n  fi\n";
  }
  return text + argumentsCall(command) + "}\n";
}

std::string zshKeysFunction(const std::vector<KeyText>& keys) {
  std::string names, tokens;
  for (const KeyText& key : keys) {
    names += "      " + key.path + " \\\n";
    std::string choices;
    for (const std::string& word : key.field->choices) choices += " " + word;
    if (key.field->kind == SettingKind::kBool) choices = " true false";
    if (!choices.empty()) tokens += "      *" + key.path + "=) compadd --" + choices + " ;;\n";
  }
  return "_clipmill_keys() {\n  if compset -P '*='; then\n    case $IPREFIX in\n" + tokens +
         "    esac\n  else\n    compadd -S = -- \\\n" + names + "\n  fi\n}\n";
}

}  // namespace

std::string zshCompletions(const Reference& reference) {
  std::string text =
      "#compdef clipmill\n# Completions of clipmill for zsh; `clipmill completions zsh` prints "
      "them.\n" +
      zshKeysFunction(reference.keys);
  for (const CommandText* command : allCommands(reference.program)) {
    text += commandFunction(*command);
  }
  return text + functionOf("") + " \"$@\"\n";
}

}  // namespace clipmill::cli
