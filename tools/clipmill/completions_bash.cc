// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <map>

#include "completions.h"

namespace clipmill::cli {
namespace {

// Readline cuts words at "=": `--keys=all` and `--set output.keys=all` are three and four words.
constexpr const char* kMain = R"(_clipmill() {
  local current=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command=${COMP_WORDS[1]}
  local words='' kind='' flag
  case "$command ${COMP_WORDS[2]}" in
    @NESTED@) [ "$COMP_CWORD" -gt 2 ] && command="$command ${COMP_WORDS[2]}" ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] || command=''
  COMPREPLY=()

  [ "$current" = '=' ] && current='' && at=$((at + 1))
  [ "${COMP_WORDS[at]}" = '=' ] && at=$((at - 1))
  flag=${COMP_WORDS[at]}
  if [ "$at" -gt 1 ] && [ "${COMP_WORDS[at - 1]}" = '--set' ]; then
    _clipmill_key_words "$flag"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$flag" in -*) _clipmill_value "$command" "$flag" ;; esac
  case "$kind" in
    word) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    number) compopt +o default 2>/dev/null ;;
    setting)
      compopt -o nospace 2>/dev/null
      COMPREPLY=($(compgen -S = -W "$_clipmill_keys" -- "$current"))
      ;;
    text) ;;
    *)
      _clipmill_words "$command"
      case "$current" in
        -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "${words%% -*}" -- "$current")) ;;
      esac
      ;;
  esac
}
complete -o default -F _clipmill clipmill
)";

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string inQuotes(const std::string& text) { return "'" + text + "'"; }

// Commands below each command, then its flags: what can stand where no value is asked for.
std::string wordsFunction(const std::vector<const CommandText*>& commands) {
  std::string text = "_clipmill_words() {\n  case $1 in\n";
  for (const CommandText* command : commands) {
    std::string words;
    for (const CommandText& below : command->commands) {
      words += (words.empty() ? "" : " ") + below.path.substr(below.path.rfind(' ') + 1);
    }
    for (const FlagText& flag : command->flags) words += " " + joined(flag.names);
    text += "    " + inQuotes(command->path) + ")\n      words=" + inQuotes(words) + " ;;\n";
  }
  return text + "  esac\n}\n";
}

// Flags of one kind are one line.
std::string valuesOf(const CommandText& command) {
  std::map<std::string, std::vector<std::string>> flags_of;
  for (const FlagText& flag : command.flags) {
    std::string kind;
    switch (flag.kind) {
      case ValueKind::kNone:
        continue;
      case ValueKind::kNumber:
        kind = "kind=number";
        break;
      case ValueKind::kText:
        kind = "kind=text";
        break;
      case ValueKind::kSetting:
        kind = "kind=setting";
        break;
      case ValueKind::kWord:
        kind = "kind=word words=" + inQuotes(joined(flag.choices));
        break;
    }
    for (const std::string& name : flag.names) flags_of[kind].push_back(name);
  }
  std::string text;
  for (const auto& [kind, names] : flags_of) {
    text += "        " + joined(names, " | ") + ") " + kind + " ;;\n";
  }
  return text;
}

std::string valueFunction(const std::vector<const CommandText*>& commands) {
  std::string text = "_clipmill_value() {\n  case $1 in\n";
  for (const CommandText* command : commands) {
    const std::string values = valuesOf(*command);
    if (values.empty()) continue;
    text += "    " + inQuotes(command->path) + ")\n      case $2 in\n" + values +
            "      esac\n      ;;\n";
  }
  return text + "  esac\n}\n";
}

std::string keys(const std::vector<KeyText>& keys) {
  std::string names, words;
  for (const KeyText& key : keys) {
    names += (names.empty() ? "" : "\n  ") + key.path;
    if (!key.field->choices.empty()) {
      words += "    " + key.path + ") words=" + inQuotes(joined(key.field->choices)) + " ;;\n";
    } else if (key.field->kind == SettingKind::kBool) {
      words += "    " + key.path + ") words='true false' ;;\n";
    }
  }
  return "_clipmill_keys='" + names + "'\n_clipmill_key_words() {\n  case $1 in\n" + words +
         "  esac\n}\n";
}

// Commands of two words, as patterns of `case`.
std::string nestedCommands(const std::vector<const CommandText*>& commands) {
  std::vector<std::string> nested;
  for (const CommandText* command : commands) {
    if (command->path.find(' ') != std::string::npos) nested.push_back(inQuotes(command->path));
  }
  return joined(nested, " | ");
}

}  // namespace

std::string bashCompletions(const Reference& reference) {
  const std::vector<const CommandText*> commands = allCommands(reference.program);
  std::string main = kMain;
  const std::string place = "@NESTED@";
  main.replace(main.find(place), place.size(), nestedCommands(commands));
  return "# Completions of clipmill for bash; `clipmill completions bash` prints them.\n" +
         wordsFunction(commands) + valueFunction(commands) + keys(reference.keys) + main;
}

}  // namespace clipmill::cli
