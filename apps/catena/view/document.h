// Scene documents: the truth about a structure that is being built. An edit changes the document, and the ordinary reader reads it
// again, so that all its checks and messages serve.
#pragma once

#include "catena/catena.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace catena::app {

using Json = nlohmann::ordered_json;

/// A scene that can be changed and read again.
struct Document {
  Json scene = Json::object();
  std::map<std::string, std::string> set;  // parameters changed since, as by --set
  bool operator==(const Document&) const = default;
};

Document document_from_file(const std::string& file, std::map<std::string, std::string> set);
Document document_from_text(const std::string& text);

/// As people write it: sections, one line per entry.
std::string yaml_of(const Json& scene);

/// Reads the document with the ordinary reader. One without bodies gets a hidden one that stands still. Throws InvalidInput, which speaks of
/// things by their names: nobody has seen the lines of a document.
Scene read_scene(const Document& document, const std::string& name);

/// Writes the names that the reader gives to unnamed joints and forces into their entries, so that they can be found.
void give_names(Json& scene);

/// The entry of that name among bodies, joints, constraints and forces, or nothing; `section` becomes where it was.
Json* find_entry(Json& scene, const std::string& name, std::string* section = nullptr);
const Json* find_entry(const Json& scene, const std::string& name, std::string* section = nullptr);
/// Every entry with a name of its own, as {name: {section, ...}}; empty when there are more than `most`.
Json entries_by_name(const Json& scene, std::size_t most);

/// Puts the present placements of all bodies that have moved into the section `initial`.
void write_placements(Json& scene, const Scene& start, const Simulation& sim);

/// Undo and redo: whole documents as text, at most `kMost` of them and, but for the newest, at most `kMostBytes`.
class History {
 public:
  static constexpr std::size_t kMost = 200;
  static constexpr std::size_t kMostBytes = std::size_t(64) << 20;
  struct Version {
    Document document;
    bool keeps_motion = true;  // the change after it was an edit of a running mechanism, not another scene
  };
  void note(const Document& before, bool keeps_motion);
  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }
  Version undo_version() const { return version(undo_.back()); }
  Version redo_version() const { return version(redo_.back()); }
  /// After the version was put in place: the document that was there goes to the other side.
  void undone(const Document& present);
  void redone(const Document& present);
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string scene;  // JSON: a tenth of what it takes in memory when it is parsed
    std::map<std::string, std::string> set;
    bool keeps_motion;
  };
  static Version version(const Kept& kept);
  void keep(std::deque<Kept>& side, const Document& document, bool keeps_motion);
  void drop(std::deque<Kept>& side, bool newest);

  std::deque<Kept> undo_, redo_;
  std::size_t bytes_ = 0;  // of both
};

}  // namespace catena::app
