#include "command_line.h"

#include "command.h"

#include <CLI/CLI.hpp>

namespace catena::app {

OptionWords& OptionWords::required() {
  option_->required();
  return *this;
}

OptionWords& OptionWords::repeated() {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

OptionWords& OptionWords::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

OptionWords& OptionWords::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

OptionWords& OptionWords::with_default_in_help() {
  option_->capture_default_str();
  return *this;
}

OptionWords& OptionWords::under(const char* heading) {
  option_->group(heading);
  return *this;
}

OptionWords Subcommand::option(const char* name, std::string& value, const char* type,
                               const std::string& help) {
  return OptionWords(app_->add_option(name, value, help)->type_name(type));
}

OptionWords Subcommand::option(const char* name, std::optional<std::string>& value, const char* type,
                               const std::string& help) {
  return OptionWords(app_->add_option(name, value, help)->type_name(type));
}

OptionWords Subcommand::option(const char* name, std::vector<std::string>& values, const char* type,
                               const std::string& help) {
  return OptionWords(app_->add_option(name, values, help)->type_name(type));
}

OptionWords Subcommand::option(const char* name, int& value, const char* type, const std::string& help) {
  return OptionWords(app_->add_option(name, value, help)->type_name(type));
}

OptionWords Subcommand::option(const char* name, double& value, const char* type, const std::string& help) {
  return OptionWords(app_->add_option(name, value, help)->type_name(type));
}

void Subcommand::flag(const char* name, bool& value, const char* help) {
  app_->add_flag(name, value, help);
}

void Subcommand::footer(const char* text) {
  app_->footer(text);
}

void Subcommand::runs(std::function<int()> action) {
  app_->callback([status = status_, action = std::move(action)] { *status = action(); });
}

CommandLine::CommandLine(const std::string& description, const std::string& version, const char* footer)
    : app_(std::make_unique<CLI::App>(description, "catena")) {
  app_->set_version_flag("--version", version, "print the version");
  app_->set_help_all_flag("--help-all", "print the help of all subcommands");
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Subcommand CommandLine::subcommand(const char* name, const char* help) {
  return {app_->add_subcommand(name, help), &status_};
}

std::vector<std::string> CommandLine::subcommands() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help and --version
    return app_->exit(request);
  } catch (const CLI::ParseError& problem) {
    app_->exit(problem);
    return kBadInput;
  }
  return status_;
}

}  // namespace catena::app
