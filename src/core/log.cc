// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/log.h"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace clipmill::log {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto created = std::make_shared<spdlog::logger>(
        "clipmill", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern("%v");
    created->set_level(spdlog::level::info);
    return created;
  }();
  return *instance;
}

}  // namespace

void setLevel(Level level) {
  logger().set_level(level == Level::kQuiet    ? spdlog::level::err
                     : level == Level::kNormal ? spdlog::level::info
                                               : spdlog::level::debug);
}

void error(std::string_view text) { logger().error("clipmill: error: {}", text); }
void warning(std::string_view text) { logger().warn("clipmill: warning: {}", text); }
void note(std::string_view text) { logger().info("{}", text); }
void detail(std::string_view text) { logger().debug("{}", text); }

}  // namespace clipmill::log
