// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/jobs.h"

#include <filesystem>

#include "checks.h"
#include "core/file.h"
#include "temporary_folder.h"

using namespace clipmill;
using namespace clipmill::batch;

TEST_SUITE_BEGIN("batch.jobs");

namespace {

// A tree of empty files, some of which are no animation files.
struct Tree : test::TemporaryFolder {
  Tree() {
    for (const char* name : {"a.glb", "b.fbx", "notes.txt", "walk/a.glb", "walk/slow/c.vrm"}) {
      std::filesystem::create_directories((path() / name).parent_path());
      CHECK_OK(writeFileAtomically(path() / name, std::string_view()));
    }
  }
  std::string at(const std::string& name) const { return (path() / name).string(); }
};

std::vector<std::string> relativeOf(const Result<std::vector<BatchInput>>& inputs) {
  CHECK_OK(inputs);
  std::vector<std::string> names;
  for (const BatchInput& input : *inputs) names.push_back(input.relative.generic_string());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("A folder gives its animation files, and those of subfolders if recursive") {
  const Tree tree;
  const Names folder = {tree.path().string()};
  CHECK(relativeOf(findInputs(folder, false)) == Names{"a.glb", "b.fbx"});
  CHECK(relativeOf(findInputs(folder, true)) ==
        Names{"a.glb", "b.fbx", "walk/a.glb", "walk/slow/c.vrm"});
}

TEST_CASE("A glob gives its matches, relative to the folder before its first wildcard") {
  const Tree tree;
  CHECK(relativeOf(findInputs(Names{tree.at("*.glb")}, false)) == Names{"a.glb"});
  CHECK(relativeOf(findInputs(Names{tree.at("*/*.glb")}, false)) == Names{"walk/a.glb"});
  CHECK(relativeOf(findInputs(Names{tree.at("**/*.glb")}, false)) == Names{"a.glb", "walk/a.glb"});
  CHECK(relativeOf(findInputs(Names{tree.at("**/[a-c].???")}, false)) ==
        Names{"a.glb", "b.fbx", "walk/a.glb", "walk/slow/c.vrm"});
}

TEST_CASE("A file that is named twice is one input, and lists are read line by line") {
  const Tree tree;
  const std::string list = tree.at("list.txt");
  CHECK_OK(writeFileAtomically(list, tree.at("b.fbx") + "\r\n\n" + tree.at("a.glb")));
  CHECK(relativeOf(findInputs(Names{"@" + list, tree.at("*.glb"), tree.at("walk/../a.glb")},
                              false)) == Names{"a.glb", "b.fbx"});
  CHECK_OK(writeFileAtomically(list, "@" + list));
  CHECK(findInputs(Names{"@" + list}, false).error().code == ErrorCode::kUsage);
}

TEST_CASE("An argument without any file is an error") {
  const Tree tree;
  for (const char* name : {"missing.glb", "x*.glb", "walk/slow/none"}) {
    CHECK(findInputs(Names{tree.at(name)}, true).error().code == ErrorCode::kNotFound);
  }
}

TEST_CASE("Outputs have the relative names of their inputs, or those of the pattern") {
  const std::vector<BatchInput> inputs = {{"in/walk/a.glb", "walk/a.glb"}, {"in/b.fbx", "b.fbx"}};
  const auto jobs = planJobs(inputs, "out", kDefaultOutputName);
  CHECK_OK(jobs);
  CHECK(jobs->size() == 2);
  CHECK((*jobs)[0].name == "b.fbx");
  CHECK((*jobs)[1].output == std::filesystem::path("out/walk/a.glb"));
  const auto flat = planJobs(inputs, "out", "{stem}_baked.glb");
  CHECK_OK(flat);
  CHECK((*flat)[0].name == "a_baked.glb");
  CHECK((*flat)[1].name == "b_baked.glb");
}

TEST_CASE("Two inputs with one output are an error, and so are invalid names") {
  const std::vector<BatchInput> inputs = {{"in/walk/a.glb", "walk/a.glb"}, {"in/a.glb", "a.glb"}};
  CHECK_OK(planJobs(inputs, "out", kDefaultOutputName));
  const auto same = planJobs(inputs, "out", "{stem}{ext}");
  REQUIRE(!same);
  CHECK(same.error().code == ErrorCode::kUsage);
  CHECK(same.error().message.find("in/walk/a.glb") != std::string::npos);
  CHECK(same.error().message.find("in/a.glb") != std::string::npos);
  for (const char* name : {"../{stem}.glb", "{name}.glb", "{stem", "{stem}.txt", "{dir}/", ""}) {
    CAPTURE(name);
    CHECK(!planJobs(inputs, "out", name));
  }
}

TEST_CASE("Outputs of an earlier batch are no inputs") {
  const std::vector<BatchInput> inputs = {{"in/a.glb", "a.glb"}, {"in/out/a.glb", "out/a.glb"}};
  const auto jobs = planJobs(inputs, "in/out", kDefaultOutputName);
  CHECK_OK(jobs);
  REQUIRE(jobs->size() == 1);
  CHECK((*jobs)[0].input == std::filesystem::path("in/a.glb"));
  CHECK(planJobs(inputs, "in", kDefaultOutputName).error().code == ErrorCode::kUsage);
}

TEST_CASE("outputs whose names differ in the case of letters alone get numbers") {
  const std::vector<BatchInput> inputs = {
      {"in/walk.glb", "walk.glb"},     {"in/Walk.glb", "Walk.glb"}, {"in/WALK_2.glb", "WALK_2.glb"},
      {"in/d/walk.glb", "d/walk.glb"}, {"in/歩く.glb", "歩く.glb"}, {"in/走る.glb", "走る.glb"}};
  const auto jobs = planJobs(inputs, "out", kDefaultOutputName);
  CHECK_OK(jobs);
  std::vector<std::pair<std::string, std::string>> names;
  for (const BatchJob& job : *jobs) {
    names.emplace_back(job.name, job.input.generic_string());
    CHECK(job.output == std::filesystem::path("out") / job.name);
  }
  CHECK(names == std::vector<std::pair<std::string, std::string>>{{"WALK_2.glb", "in/WALK_2.glb"},
                                                                  {"Walk.glb", "in/Walk.glb"},
                                                                  {"d/walk.glb", "in/d/walk.glb"},
                                                                  {"walk_3.glb", "in/walk.glb"},
                                                                  {"歩く.glb", "in/歩く.glb"},
                                                                  {"走る.glb", "in/走る.glb"}});
}

TEST_SUITE_END();
