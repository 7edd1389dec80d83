// Scene files, from text to Scene: documents and their includes, then the sections in the order of dependence.
#include "catena/scene.h"

#include "io/document/suggest.h"
#include "io/scene/context.h"
#include "io/scene/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

const Record& scene_record() {
  static const Record record{
      "",
      "a scene",
      {
          {"title", Value::text, "", "one line"},
          {"description", Value::text, "", "what it shows and what to look at"},
          {"parameters", Value::parameters, "", "named numbers and words; changed with --set name=value"},
          {"include", Value::name_list, "", "files of this folder or below that stand before this one"},
          {"gravity", Value::vector, "m/s²",
           "default [0, 0, -9.81]; [0, -9.81, 0] when all bodies are planar"},
          {"bodies", Value::variant_list, "", "bodies", kOptional, body_variants},
          {"generate", Value::variant_list, "", "large regular structures", kOptional, generator_variants},
          {"joints", Value::variant_list, "", "joints; every kind of constraint", kOptional,
           constraint_variants},
          {"constraints", Value::variant_list, "", "the same as joints", kOptional, constraint_variants},
          {"forces", Value::variant_list, "", "forces besides gravity", kOptional, force_variants},
          {"inequalities", Value::variant_list, "", "limits, contacts, dry friction", kOptional,
           inequality_variants},
          {"controllers", Value::variant_list, "", "what is sampled and writes torques of joints", kOptional,
           controller_variants},
          {"initial", Value::record, "", "start values", kOptional, initial_record},
          {"options", Value::record, "", "how to simulate", kOptional, options_record},
          {"probes", Value::variant_list, "", "quantities to record", kOptional, probe_variants},
          {"events", Value::variant_list, "", "what to watch for, and what happens then", kOptional,
           event_variants},
      }};
  return record;
}

namespace {

namespace fs = std::filesystem;

/// Reads a file and, before it, what it includes. Every file counts once.
class Documents {
 public:
  explicit Documents(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add_text(const std::string& name, const std::string& text) { add(name, text, {}); }
  void add_file(const fs::path& file) {
    std::string text;
    if (!read_text_file(file.string(), text, diagnostics_)) return;
    std::error_code error;
    files_.push_back(file);
    open_.push_back(fs::weakly_canonical(file, error));
    add(file.string(), text, file.parent_path());
    open_.pop_back();
  }

  const std::vector<const Node*>& roots() const { return roots_; }
  const std::vector<fs::path>& files() const { return files_; }

 private:
  void add(const std::string& name, const std::string& text, const std::optional<fs::path>& folder) {
    documents_.push_back(std::make_unique<Document>(name, text, diagnostics_));
    const Node* root = documents_.back()->root();
    if (root == nullptr) return;
    if (const Node* list = root->is_map() ? root->find("include") : nullptr; list != nullptr) {
      if (list->is_scalar()) include(*list, folder);
      for (const Node* entry : list->children) include(*entry, folder);
    }
    roots_.push_back(root);
  }

  void include(const Node& node, const std::optional<fs::path>& folder) {
    const auto refuse = [&](std::string what, std::string remedy) {
      diagnostics_.add(node, std::move(what), std::move(remedy));
    };
    if (open_.empty()) return refuse("a scene without a file cannot include files", "load it from a file");
    if (!node.is_scalar() || node.text.empty())
      return refuse("the name of a file is expected, got " + node.describe(), "write 'include: [part.yaml]'");
    const fs::path relative = fs::path(node.text).lexically_normal();
    const bool leaves = relative.is_absolute() || *relative.begin() == "..";
    const std::string inside = "name a file in the folder of this one, or below it";
    if (leaves)
      return refuse(fmt::format("'{}' leads out of the scene's folder", shorten(node.text)), inside);
    const fs::path file = *folder / relative;
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(file, error);
    const fs::path home = fs::weakly_canonical(folder->empty() ? fs::path(".") : *folder, error);
    const fs::path way = canonical.lexically_relative(home);  // where a link really leads
    if (error || way.empty() || *way.begin() == "..")
      return refuse(fmt::format("'{}' leads out of the scene's folder", shorten(node.text)), inside);
    if (const auto it = std::find(open_.begin(), open_.end(), canonical); it != open_.end()) {
      std::string circle;
      for (auto step = it; step != open_.end(); ++step) circle += step->filename().string() + " -> ";
      circle += canonical.filename().string();
      return refuse("files include each other in a circle: " + circle, "remove one of the includes");
    }
    if (open_.size() >= std::size_t(kMaxNesting))
      return refuse("files are included more than 64 levels deep", "flatten them");
    if (!fs::is_regular_file(canonical, error))
      return refuse(fmt::format("there is no file '{}'", shorten(file.string())), "check the name");
    if (std::find(done_.begin(), done_.end(), canonical) != done_.end()) return;
    done_.push_back(canonical);
    add_file(file);
  }

  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<const Node*> roots_;  // in the order in which they count
  std::vector<fs::path> open_;      // files being read, outermost first
  std::vector<fs::path> done_;      // files included so far
  std::vector<fs::path> files_;     // all that were read, as they were named
};

// every entry of a list section, over all files
void read_list(SceneContext& context, const std::vector<Fields>& files, std::string_view section,
               SectionReader read) {
  for (const Fields& fields : files) {
    const Node* list = fields.find(section);
    if (list == nullptr) continue;
    if (!list->is_list()) {
      fields.report(section, fmt::format("{} must be a list, got {}", section, list->describe()),
                    "begin every entry with '- '");
      continue;
    }
    read_entries(context, *list, read);
  }
}

void read_gravity(SceneContext& context, const std::vector<Fields>& files) {
  bool given = false;
  for (const Fields& fields : files) {
    given = given || fields.has("gravity");
    context.scene.model.gravity = fields.vector("gravity", context.scene.model.gravity);
  }
  const auto bodies = context.scene.model.bodies();
  const bool planar = !bodies.empty() && std::all_of(bodies.begin(), bodies.end(),
                                                     [](const BodyEntry& e) { return e.body->is_planar(); });
  if (!given && planar) context.scene.model.gravity = {0.0, -9.81, 0.0};
}

Scene read_scene(SceneContext& context, const Documents& documents, const std::string& name,
                 const std::map<std::string, std::string>& set) {
  std::vector<Fields> files;
  std::vector<const Node*> parameters;
  for (const Node* root : documents.roots()) {
    files.emplace_back(*root, scene_record(), context.reading());
    if (const Node* section = files.back().find("parameters")) parameters.push_back(section);
  }
  if (files.empty()) context.diagnostics.throw_if_any();
  read_parameters(context, parameters, set);
  for (const Fields& fields : files) {
    context.scene.title = fields.text("title").value_or(context.scene.title);
    context.scene.description = fields.text("description").value_or(context.scene.description);
    if (const Node* options = fields.find("options")) read_options(context, *options);
  }
  read_list(context, files, "bodies", read_body);
  read_list(context, files, "generate", read_generator);
  read_gravity(context, files);
  read_list(context, files, "joints", read_constraint);
  read_list(context, files, "constraints", read_constraint);
  read_list(context, files, "forces", read_force);
  read_list(context, files, "inequalities", read_inequality);
  read_list(context, files, "controllers", read_controller);
  for (const Fields& fields : files)
    if (const Node* initial = fields.find("initial")) read_initial(context, *initial);
  read_list(context, files, "probes", read_probe);
  read_list(context, files, "events", read_event);
  // a model without bodies is only worth a word when nothing else explains it
  if (context.diagnostics.count() == 0 || !context.scene.model.bodies().empty())
    context.report_model_issues(name);
  context.diagnostics.throw_if_any();
  context.scene.files = documents.files();
  return std::move(context.scene);
}

}  // namespace
}  // namespace catena::io

namespace catena {

Scene load_scene(const std::filesystem::path& file, const std::map<std::string, std::string>& set) {
  io::SceneContext context;
  io::Documents documents(context.diagnostics);
  documents.add_file(file);
  return io::read_scene(context, documents, file.string(), set);
}

Scene parse_scene(const std::string& text, const std::string& name,
                  const std::map<std::string, std::string>& set) {
  io::SceneContext context;
  io::Documents documents(context.diagnostics);
  documents.add_text(name, text);
  return io::read_scene(context, documents, name, set);
}

std::string scene_as_json(const std::filesystem::path& file) {
  io::SceneContext context;
  io::Documents documents(context.diagnostics);
  documents.add_file(file);
  context.diagnostics.throw_if_any();
  return io::merged_json(documents.roots());
}

std::string scene_text_as_json(const std::string& text, const std::string& name) {
  io::SceneContext context;
  io::Documents documents(context.diagnostics);
  documents.add_text(name, text);
  context.diagnostics.throw_if_any();
  return io::merged_json(documents.roots());
}

Simulation make_simulation(const Scene& scene) {
  Simulation sim(scene.model, scene.options);
  for (const Event& event : scene.events) sim.add_event(event);
  for (const SceneController& controller : scene.controllers)
    sim.add_controller(controller.name, controller.period, controller.make());
  for (const Breakable& joint : scene.breakable) sim.break_at(joint.joint, joint.force, joint.torque);
  if (scene.project_start) {
    const StepReport report = sim.project();
    if (!report.ok())
      throw InvalidInput(
          {{"initial.project", "the start could not be brought onto the constraints: " + report.message,
            "place the bodies nearer to where the constraints hold"}});
  }
  return sim;
}

}  // namespace catena
