// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <map>

#include "completions.h"

namespace clipmill::cli {
namespace {

// Readline splits at "=": `--keys=all` and `--set output.keys=all` are three and four tokens.
constexpr const char* kMain = R"(_clipmill() {
  local current=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command=${COMP_WORDS[1]}
  local tokens='' kind='' flag
  case "$command ${COMP_WORDS[2]}" in
    @NESTED@) [ "$COMP_CWORD" -gt 2 ] && command="$command ${COMP_WORDS[2]}" ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] || command=''
  COMPREPLY=()

  [ "$current" = '=' ] && current='' && at=$((at + 1))
  [ "${COMP_WORDS[at]}" = '=' ] && at=$((at - 1))
  flag=${COMP_WORDS[at]}
  if [ "$at" -gt 1 ] && [ "${COMP_WORDS[at - 1]}" = '--set' ]; then
    _clipmill_key_values "$flag"
    COMPREPLY=($(compgen -W "$tokens" -- "$current"))
    return
  fi
  case "$flag" in -*) _clipmill_value "$command" "$flag" ;; esac
  case "$kind" in
    word) COMPREPLY=($(compgen -W "$tokens" -- "$current")) ;;
    number) compopt +o default 2>/dev/null ;;
    setting)
      compopt -o nospace 2>/dev/null
      COMPREPLY=($(compgen -S = -W "$_clipmill_keys" -- "$current"))
      ;;
    text) ;;
    *)
      _clipmill_tokens "$command"
      case "$current" in
        -*) COMPREPLY=($(compgen -W "$tokens" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "${tokens%% -*}" -- "$current")) ;;
      esac
      ;;
  esac
}
complete -o default -F _clipmill clipmill
)";

std::string joined(const std::vector<std::string>& tokens, const char* between = " ") {
  std::string text;
  for (const std::string& word : tokens) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string bashQuoted(const std::string& text) { return "'" + text + "'"; }

// Subcommands of each command, then its flags: the tokens where no value is expected.
std::string tokensFunction(const std::vector<const CommandText*>& commands) {
  std::string text = "_clipmill_tokens() {\n  case $1 in\n";
  for (const CommandText* command : commands) {
    std::string tokens;
    for (const CommandText& below : command->commands) {
      tokens += (tokens.empty() ? "" : " ") + below.path.substr(below.path.rfind(' ') + 1);
    }
    for (const FlagText& flag : command->flags) tokens += " " + joined(flag.names);
    text += "    " + bashQuoted(command->path) + ")\n      tokens=" + bashQuoted(tokens) + " ;;\n";
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
        kind = "kind=word tokens=" + bashQuoted(joined(flag.choices));
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
    text += "    " + bashQuoted(command->path) + ")\n      case $2 in\n" + values +
            "      esac\n      ;;\n";
  }
  return text + "  esac\n}\n";
}

std::string keys(const std::vector<KeyText>& keys) {
  std::string names, tokens;
  for (const KeyText& key : keys) {
    names += (names.empty() ? "" : "\n  ") + key.path;
    if (!key.field->choices.empty()) {
      tokens += "    " + key.path + ") tokens=" + bashQuoted(joined(key.field->choices)) + " ;;\n";
    } else if (key.field->kind == SettingKind::kBool) {
      tokens += "    " + key.path + ") tokens='true false' ;;\n";
    }
  }
  return "_clipmill_keys='" + names + "'\n_clipmill_key_values() {\n  case $1 in\n" + tokens +
         "  esac\n}\n";
}

// Commands of two tokens, as patterns of `case`.
std::string nestedCommands(const std::vector<const CommandText*>& commands) {
  std::vector<std::string> nested;
  for (const CommandText* command : commands) {
    if (command->path.find(' ') != std::string::npos) nested.push_back(bashQuoted(command->path));
  }
  return joined(nested, " | ");
}

}  // namespace

std::string bashCompletions(const Reference& reference) {
  const std::vector<const CommandText*> commands = allCommands(reference.program);
  std::string main = kMain;
  const std::string mark = "@NESTED@";
  main.replace(main.find(mark), mark.size(), nestedCommands(commands));
  return "# Completions of clipmill for bash; `clipmill completions bash` prints them.\n" +
         tokensFunction(commands) + valueFunction(commands) + keys(reference.keys) + main;
}

}  // namespace clipmill::cli
