// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain_patterns.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Largest number of unwanted matches of a glob that `skip` may list; more are not readable.
constexpr std::size_t kMaxExceptions = 8;

const std::string& nameOf(const Skeleton& skeleton, int node) {
  return skeleton.nodes[toSize(node)].name;
}

// The glob that matches `text` and nothing else.
std::string literal(std::string_view text) {
  std::string glob;
  for (const char c : text) {
    const bool is_special = c == '*' || c == '?' || c == '[';
    glob += is_special ? std::string("[") + c + "]" : std::string(1, c);
  }
  return glob;
}

// A pattern that only this node matches: its name, else its path.
std::optional<std::string> patternOf(const Skeleton& skeleton, int node) {
  for (const std::string& text : {nameOf(skeleton, node), pathOf(skeleton, node)}) {
    if (text.empty()) continue;
    std::string pattern = literal(text);
    if (findNodes(skeleton, pattern) == std::vector<int>{node}) return pattern;
  }
  return std::nullopt;
}

bool continuesLetter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The common start of all texts, whole letters only.
std::string commonPrefix(const std::vector<std::string>& texts) {
  std::string prefix = texts.front();
  for (const std::string& text : texts) {
    const auto end = std::mismatch(prefix.begin(), prefix.end(), text.begin(), text.end()).first;
    prefix.erase(end, prefix.end());
  }
  const std::string& whole = texts.front();
  while (!prefix.empty() && prefix.size() < whole.size() && continuesLetter(whole[prefix.size()])) {
    prefix.pop_back();
  }
  return prefix;
}

std::string commonSuffix(std::vector<std::string> texts) {
  for (std::string& text : texts) std::reverse(text.begin(), text.end());
  std::string suffix = texts.front();
  for (const std::string& text : texts) {
    const auto end = std::mismatch(suffix.begin(), suffix.end(), text.begin(), text.end()).first;
    suffix.erase(end, suffix.end());
  }
  std::reverse(suffix.begin(), suffix.end());
  while (!suffix.empty() && continuesLetter(suffix.front())) suffix.erase(0, 1);
  return suffix;
}

// The longest text that is part of all.
std::string commonPart(const std::vector<std::string>& texts) {
  constexpr std::size_t kMaxName = 64;
  const std::string& first = texts.front();
  std::string best;
  if (first.size() > kMaxName) return best;
  for (std::size_t start = 0; start < first.size(); ++start) {
    if (continuesLetter(first[start])) continue;
    for (std::size_t size = best.size() + 1; start + size <= first.size(); ++size) {
      if (start + size < first.size() && continuesLetter(first[start + size])) continue;
      const std::string part = first.substr(start, size);
      const bool in_all = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return text.find(part) != std::string::npos;
      });
      if (!in_all) break;
      best = part;
    }
  }
  return best;
}

// "Skirt*_1" for Skirt1_1, Skirt2_1, ..; empty where the texts have too little in common.
std::string globOf(std::vector<std::string> texts) {
  constexpr std::size_t kMinCommon = 2;
  const std::string prefix = commonPrefix(texts);
  for (std::string& text : texts) text.erase(0, prefix.size());
  const std::string suffix = commonSuffix(texts);
  if (prefix.size() + suffix.size() < kMinCommon) return {};
  return literal(prefix) + "*" + literal(suffix);
}

std::vector<std::string> rootGlobs(const Skeleton& skeleton, const std::vector<int>& roots) {
  std::vector<std::string> globs;
  if (roots.size() == 1) {
    if (const auto pattern = patternOf(skeleton, roots.front())) globs.push_back(*pattern);
    return globs;
  }
  std::vector<std::string> names, paths;
  for (int root : roots) {
    names.push_back(nameOf(skeleton, root));
    paths.push_back(pathOf(skeleton, root));
  }
  globs.push_back(globOf(names));
  constexpr std::size_t kMinPart = 3;
  const std::string part = commonPart(names);
  if (part.size() >= kMinPart) globs.push_back("*" + literal(part) + "*");
  globs.push_back(globOf(paths));
  globs.erase(std::remove(globs.begin(), globs.end(), std::string()), globs.end());
  return globs;
}

// Nodes that findChains() matches by one setting, ascending; none for an error.
std::vector<int> nodesOf(const Skeleton& skeleton, const ChainSettings& chain) {
  const auto found = findChains(skeleton, {chain});
  std::vector<int> nodes;
  if (!found.ok()) return nodes;
  for (std::size_t i = 0; i < found->size(); ++i) {
    if ((*found)[i].chain == 0) nodes.push_back(static_cast<int>(i));
  }
  return nodes;
}

// Nodes of `found` that are not in `wanted`, without those below another one of them.
std::vector<int> topmostExtras(const Skeleton& skeleton, const std::vector<int>& found,
                               const std::vector<int>& wanted) {
  std::vector<int> extras, topmost;
  std::set_difference(found.begin(), found.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(extras));
  for (int node : extras) {
    const int parent = skeleton.nodes[toSize(node)].parent;
    if (!std::binary_search(extras.begin(), extras.end(), parent)) topmost.push_back(node);
  }
  return topmost;
}

bool addPatterns(const Skeleton& skeleton, const std::vector<int>& nodes,
                 std::vector<std::string>& patterns) {
  for (int node : nodes) {
    const auto pattern = patternOf(skeleton, node);
    if (!pattern) return false;
    patterns.push_back(*pattern);
  }
  return true;
}

// One glob for all ends where no other member matches it.
bool setStop(const Skeleton& skeleton, const ChainNodes& nodes, ChainSettings& chain) {
  constexpr std::size_t kMinSuffix = 3;
  if (nodes.ends.empty()) return true;
  std::vector<std::string> names;
  for (int node : nodes.ends) names.push_back(nameOf(skeleton, node));
  const std::string suffix = commonSuffix(names);
  const std::string glob = "*" + literal(suffix);
  const bool is_unique = std::none_of(nodes.members.begin(), nodes.members.end(), [&](int node) {
    return !std::binary_search(nodes.ends.begin(), nodes.ends.end(), node) &&
           matchesGlob(glob, nameOf(skeleton, node));
  });
  const bool has_slash = glob.find('/') != std::string::npos;
  if (nodes.ends.size() > 1 && suffix.size() >= kMinSuffix && is_unique && !has_slash) {
    chain.stop = {glob};
    return true;
  }
  return addPatterns(skeleton, nodes.ends, chain.stop);
}

// Whether `root` matches the nodes, with some exceptions in `skip`.
bool tryRoot(const Skeleton& skeleton, const ChainNodes& nodes, const std::string& root,
             ChainSettings& chain) {
  ChainSettings tried = chain;
  tried.root = root;
  std::vector<int> found = nodesOf(skeleton, tried);
  const std::vector<int> extras = topmostExtras(skeleton, found, nodes.members);
  if (extras.size() > kMaxExceptions || !addPatterns(skeleton, extras, tried.skip)) return false;
  if (!extras.empty()) found = nodesOf(skeleton, tried);
  if (found != nodes.members) return false;
  chain = tried;
  return true;
}

bool tryJoints(const Skeleton& skeleton, const ChainNodes& nodes, ChainSettings& chain) {
  if (nodes.roots.size() != 1) return false;
  ChainSettings tried = chain;
  tried.root.clear();
  tried.stop.clear();
  tried.skip.clear();
  for (int node : nodes.members) {
    tried.joints.push_back("#" + std::to_string(skeleton.nodes[toSize(node)].source_id));
  }
  if (nodesOf(skeleton, tried) != nodes.members) return false;
  chain = tried;
  return true;
}

}  // namespace

bool nameChainNodes(const Skeleton& skeleton, const ChainNodes& nodes, ChainSettings& chain) {
  ChainSettings named = chain;
  const bool can_limit =
      setStop(skeleton, nodes, named) && addPatterns(skeleton, nodes.skipped, named.skip);
  if (can_limit) {
    for (const std::string& root : rootGlobs(skeleton, nodes.roots)) {
      if (!tryRoot(skeleton, nodes, root, named)) continue;
      chain = named;
      return true;
    }
  }
  return tryJoints(skeleton, nodes, chain);
}

}  // namespace clipmill::stages::dynamic_bones
