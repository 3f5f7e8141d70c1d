// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// make_baked_fbx OUT.fbx: the file of fbx_bench.cc, for whole_process.py.
#include <cstdio>

#include "baked_clip.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_baked_fbx OUT.fbx\n");
    return 2;
  }
  const clipmill::Status status =
      clipmill::writeFileAtomically(argv[1], clipmill::bench::bakedFbx());
  if (status) return 0;
  std::fprintf(stderr, "make_baked_fbx: %s\n", clipmill::describe(status.error()).c_str());
  return 1;
}
