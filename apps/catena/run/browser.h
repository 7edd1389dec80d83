// A browser without a window that takes pictures of a page. It is talked to through a pipe: no port is opened.
#pragma once

#include "shared/child_process.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace catena::app {

class Browser {
 public:
  /// Path of Chromium or one of its kin, or an empty string. The environment variable CATENA_BROWSER goes first.
  static std::string find();

  /// Starts it with an empty profile that is removed in the end. Throws std::runtime_error.
  Browser(const std::string& program, int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url);
  /// The value of a JavaScript expression; promises are waited for. Throws std::runtime_error with what the page said.
  nlohmann::json evaluate(const std::string& expression);
  /// What is seen, as the bytes of a "png" or "jpeg" file.
  std::string screenshot(const std::string& format);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters);

  std::filesystem::path profile_;
  std::unique_ptr<ChildProcess> process_;
  std::string session_, received_;
  int width_, height_;
  int calls_ = 0;
};

}  // namespace catena::app
