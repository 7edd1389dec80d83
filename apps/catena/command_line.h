// The command line of `catena`: subcommands with options, in the few words that are needed of it.
//
// CLI11 does the work, in command_line.cpp alone: its header alone takes five seconds in every file that reads it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace catena::app {

/// An option that was just added: what else there is to say of it.
class OptionWords {
 public:
  explicit OptionWords(CLI::Option* option) : option_(option) {}

  OptionWords& required();
  /// May be given several times, with one value each.
  OptionWords& repeated();
  OptionWords& one_of(const std::vector<std::string>& words);
  OptionWords& not_negative();
  OptionWords& with_default_in_help();
  /// The heading under which --help lists it.
  OptionWords& under(const char* heading);

 private:
  CLI::Option* option_;
};

/// A subcommand. Its name and the variables of its options are to outlive the parsing.
class Subcommand {
 public:
  Subcommand(CLI::App* app, int* status) : app_(app), status_(status) {}

  /// `type` is what the help calls the value; a name without dashes is an argument by position.
  OptionWords option(const char* name, std::string& value, const char* type, const std::string& help);
  OptionWords option(const char* name, std::optional<std::string>& value, const char* type,
                     const std::string& help);
  OptionWords option(const char* name, std::vector<std::string>& values, const char* type,
                     const std::string& help);
  OptionWords option(const char* name, int& value, const char* type, const std::string& help);
  OptionWords option(const char* name, double& value, const char* type, const std::string& help);
  void flag(const char* name, bool& value, const char* help);

  /// Examples and exit statuses, below the options in the help.
  void footer(const char* text);
  /// What it does, once the options are read; returns the exit status.
  void runs(std::function<int()> action);

 private:
  CLI::App* app_;
  int* status_;
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version, const char* footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Subcommand subcommand(const char* name, const char* help);
  std::vector<std::string> subcommands() const;

  /// Reads the options and runs the subcommand they name. Returns its exit status; that of requests for help and of options that cannot be
  /// read, which are answered here.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  int status_ = 0;
};

}  // namespace catena::app
