# SPDX-License-Identifier: MIT
# All from Debian 12 packages (scripts/setup.sh installs them); nothing is downloaded here.
find_package(Threads REQUIRED)
find_package(glm REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(meshoptimizer REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_package(tomlplusplus REQUIRED)
if(CLIPMILL_TESTS)
  find_package(doctest REQUIRED)
endif()
