// catena schema: the JSON Schema of the scene format, for editors and validators.
#include "command.h"

#include <fmt/core.h>

namespace catena::app {

void add_schema(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of scene files");
  command->footer("Example:\n  catena schema > scene.schema.json");
  command->callback([&status] {
    fmt::print("{}\n", scene_schema());
    status = kDone;
  });
}

}  // namespace catena::app
