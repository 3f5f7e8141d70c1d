// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "completions.h"

namespace clipmill::cli {
namespace {

constexpr const char* kHead =
    R"(# Completions of clipmill for fish; `clipmill completions fish` prints them.
function __clipmill_at
    set -l tokens (commandline -opc)
    set -l command "$tokens[2]"
    contains -- "$tokens[2] $tokens[3]" @NESTED@; and set command "$tokens[2] $tokens[3]"
    test "$command" = "$argv[1]"
end
)";

std::string fishQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// `complete` for the tokens after the command of that path.
std::string completeAt(const std::string& path) {
  return "complete -c clipmill -n \"__clipmill_at '" + path + "'\"";
}

std::string fishValueOf(const FlagText& flag) {
  std::string tokens;
  switch (flag.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kNumber:
      return " -x";
    case ValueKind::kText:
      return " -r -F";
    case ValueKind::kSetting:
      return " -x -a '(__clipmill_keys)'";
    case ValueKind::kWord:
      for (const std::string& word : flag.choices) tokens += (tokens.empty() ? "" : " ") + word;
      return " -x -a " + fishQuoted(tokens);
  }
  return "";
}

std::string fishNamesOf(const FlagText& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return names;
}

std::string commandLines(const CommandText& command) {
  std::string text;
  // Without arguments of its own, a command takes no file.
  if (command.arguments.empty()) text += completeAt(command.path) + " -f\n";
  for (const CommandText& below : command.commands) {
    text += completeAt(command.path) + " -a " + below.path.substr(below.path.rfind(' ') + 1) +
            " -d " + fishQuoted(below.summary) + "\n";
  }
  for (const FlagText& flag : command.flags) {
    text += completeAt(command.path) + fishNamesOf(flag) + fishValueOf(flag) + " -d " +
            fishQuoted(flag.doc) + "\n";
  }
  return text;
}

// Keys with their meaning, and the values of keys with choices.
std::string fishKeysFunction(const std::vector<KeyText>& keys) {
  std::string text = "function __clipmill_keys\n    printf '%s\\t%s\\n'";
  for (const KeyText& key : keys) {
    std::vector<std::string> tokens = key.field->choices;
    if (key.field->kind == SettingKind::kBool) tokens = {"true", "false"};
    if (tokens.empty()) tokens = {""};
    for (const std::string& word : tokens) {
      text +=
          " \\\n        " + fishQuoted(key.path + "=" + word) + " " + fishQuoted(key.field->doc);
    }
  }
  return text + "\nend\n";
}

}  // namespace

std::string fishCompletions(const Reference& reference) {
  std::string head = kHead, nested, lines;
  for (const CommandText* command : allCommands(reference.program)) {
    if (command->path.find(' ') != std::string::npos) nested += fishQuoted(command->path) + " ";
    lines += commandLines(*command);
  }
  if (!nested.empty()) nested.pop_back();
  const std::string location = "@NESTED@";
  head.replace(head.find(location), location.size(), nested);
  return head + fishKeysFunction(reference.keys) + lines;
}

}  // namespace clipmill::cli
