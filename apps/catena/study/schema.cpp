// catena schema: the JSON Schema of the scene format, for editors and validators.
#include "command.h"

#include <fmt/core.h>

namespace catena::app {

void add_schema(CommandLine& line) {
  Subcommand command = line.subcommand("schema", "print the JSON Schema of scene files");
  command.footer("Example:\n  catena schema > scene.schema.json");
  command.runs([] {
    fmt::print("{}\n", scene_schema());
    return int(kDone);
  });
}

}  // namespace catena::app
