// Edits of a structure, on its document (docs/viewer.md lists them).
//
//   Editor editor(document.scene, scene, sim);
//   editor.apply({{"op", "add-body"}, {"kind", "rod"}, ...});      // throws InvalidInput and is then of no more use
//   document.scene = editor.scene();
//
// Points are body coordinates, because bodies move between a click and its arrival. What an edit joins is written with the placements
// of that moment (`placed_a`, `placed_b`), so that the document can be read again wherever the mechanism starts.
#pragma once

#include "view/document.h"
#include "view/player.h"

namespace catena::app {

class Editor {
 public:
  Editor(Json scene, const Scene& start, const Simulation& sim);

  void apply(const Json& edit);
  const Json& scene() const { return scene_; }
  /// Bodies to move before the rest is closed: what was joined over a gap.
  const Shifts& shifts() const { return shifts_; }

 private:
  /// A body as edits see it.
  struct Part {
    Placement now;
    bool is_world = false, planar = false, particle = false;
    bool bends = false;  // its points are not those of a rigid body: placed by its start only
  };
  /// One side of a connection.
  struct Side {
    std::string name;
    Part part;
    Vec3 local;  // body coordinates
    Vec3 at() const { return part.is_world ? local : Vec3(part.now.position + part.now.orientation * local); }
  };

  void add_body(const Json& edit);
  void connect(const Json& edit);
  void remove(const std::string& name);
  void set(const std::string& name, const std::string& key, const Json& value);
  void set_rod_length(const std::string& name, Json& entry, double length);

  Part part_of(const std::string& name) const;
  Side side_of(const Json& edit, const char* key) const;
  std::string new_name(const Json& edit, const std::string& kind) const;
  bool is_taken(const std::string& name) const;
  Json* entry_or_explain(const std::string& name, std::string* section);
  void write_placed(Json& entry, const char* key, const Side& side, const Vec3& point) const;
  void join_apart(Json& entry, const Side& a, const Side& b, bool is_spring) const;
  void join_at_point(Json& entry, const Side& a, const Side& b) const;
  void close_gap(const Side& a, const Side& b);
  bool is_hinged(const Side& a, const Side& b) const;
  void remove_mentions(const std::string& name);

  Json scene_;
  const Scene& start_;
  const Simulation& sim_;
  std::map<std::string, Part> added_;  // by this editor
  Shifts shifts_;
};

}  // namespace catena::app
