// Building mechanisms on documents: edits, undo, what is saved.
#include "view/edit.h"
#include "view/json.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace catena::app {
namespace {

/// A document with the simulation it stands for, as a session keeps them.
struct Workshop {
  Document document;
  ViewPlayer player;

  explicit Workshop(const std::string& text)
      : document(document_from_text(text)), player(read_scene(document, "scene"), 1U << 20) {}

  void edit(std::initializer_list<Json> edits) {
    Editor editor(document.scene, player.scene(), player.sim());
    for (const Json& one : edits) editor.apply(one);
    Document next{editor.scene(), document.set};
    player.change(read_scene(next, "scene"), editor.shifts());
    document = next;
  }
  Vec3 position(const std::string& body) const {
    return player.sim().placement(*player.sim().model().find_body(body)).position;
  }
  int dof() const { return player.report().dof; }
};

Json rod(const char* name, Json from, Json to, bool planar = true) {
  return {{"op", "add-body"}, {"kind", "rod"},           {"name", name},
          {"planar", planar}, {"from", std::move(from)}, {"to", std::move(to)}};
}

Json hinge(const char* name, const char* a, Json point_a, const char* b, Json point_b) {
  return {{"op", "connect"},
          {"kind", "hinge"},
          {"name", name},
          {"a", {{"body", a}, {"point", std::move(point_a)}}},
          {"b", {{"body", b}, {"point", std::move(point_b)}}}};
}

const char* const kEmpty = "title: New\ngravity: [0, -9.81, 0]\n";

/// Crank 1, coupler 3, follower 3, ground 4, standing with the crank upright.
std::initializer_list<Json> four_bar_bars() {
  static const Json bars[] = {rod("crank", {0, 0, 0}, {0, 1, 0}), rod("coupler", {0, 1, 0}, {3, 1, 0}),
                              rod("follower", {4, 0, 0}, {4, 3, 0})};
  static const std::initializer_list<Json> list{bars[0], bars[1], bars[2]};
  return list;
}

TEST(ViewEdit, AnEmptySceneHasNothingInIt) {
  const Workshop workshop(kEmpty);
  EXPECT_EQ(workshop.player.picture().bodies.size(), 0U);
  EXPECT_EQ(workshop.player.picture().joints.size(), 0U);
  EXPECT_EQ(workshop.dof(), 0);
}

TEST(ViewEdit, AFourBarFromNothingHasOneDegreeOfFreedom) {
  Workshop workshop(kEmpty);
  workshop.edit(four_bar_bars());
  EXPECT_EQ(workshop.dof(), 9);
  workshop.edit({hinge("p0", "crank", {-0.5, 0, 0}, "world", {0, 0, 0})});
  workshop.edit({hinge("p1", "coupler", {-1.5, 0, 0}, "crank", {0.5, 0, 0})});
  workshop.edit({hinge("p3", "follower", {-1.5, 0, 0}, "world", {4, 0, 0})});
  // the last joint is a gap apart: the loop is closed by assembly
  workshop.edit({hinge("p2", "coupler", {1.5, 0, 0}, "follower", {1.5, 0, 0})});
  EXPECT_EQ(workshop.dof(), 1);
  EXPECT_LT(workshop.player.sim().constraint_error(), 1e-9);
  EXPECT_EQ(workshop.player.report().redundant_rows, 0);
}

TEST(ViewEdit, BodiesKeepTheirMotionWhenSomethingIsJoined) {
  Workshop workshop(kEmpty);
  workshop.edit({rod("arm", {0, 0, 0}, {1, 0, 0}), hinge("pivot", "arm", {-0.5, 0, 0}, "world", {0, 0, 0})});
  workshop.player.step(200);
  const Vec3 before = workshop.position("arm");
  EXPECT_LT(before.y(), -0.05);
  workshop.edit(
      {rod("fore", {2, 0, 0}, {3, 0, 0}), hinge("elbow", "fore", {-0.5, 0, 0}, "arm", {0.5, 0, 0})});
  EXPECT_LT((workshop.position("arm") - before).norm(), 1e-9);
  EXPECT_NEAR(workshop.player.sim().time(), 0.2, 1e-9);
  EXPECT_EQ(workshop.dof(), 2);
  EXPECT_LT(workshop.player.sim().constraint_error(), 1e-9);
  // the loose rod came to the arm, not the other way round
  EXPECT_NEAR((workshop.position("fore") - before).norm(), 1.0, 0.5);
}

TEST(ViewEdit, WhatIsSavedContinuesWhereItWas) {
  Workshop workshop(kEmpty);
  workshop.edit({rod("arm", {0, 0, 0}, {1, 0, 0}), hinge("pivot", "arm", {-0.5, 0, 0}, "world", {0, 0, 0})});
  workshop.player.step(150);
  Json scene = workshop.document.scene;
  write_placements(scene, workshop.player.scene(), workshop.player.sim());
  const Simulation again = make_simulation(parse_scene(yaml_of(scene)));
  EXPECT_LT((again.placement(*again.model().find_body("arm")).position - workshop.position("arm")).norm(),
            1e-9);
  EXPECT_NEAR(again.energy().total(), workshop.player.sim().energy().total(), 1e-9);
}

TEST(ViewEdit, DeletingABodyTakesWhatHangsOnIt) {
  Workshop workshop(kEmpty);
  workshop.edit(four_bar_bars());
  workshop.edit({hinge("p0", "crank", {-0.5, 0, 0}, "world", {0, 0, 0}),
                 hinge("p1", "coupler", {-1.5, 0, 0}, "crank", {0.5, 0, 0})});
  workshop.edit({{{"op", "delete"}, {"name", "crank"}}});
  EXPECT_EQ(workshop.player.picture().bodies.size(), 2U);
  EXPECT_EQ(workshop.player.picture().joints.size(), 0U);
  EXPECT_THROW(workshop.edit({{{"op", "delete"}, {"name", "crank"}}}), InvalidInput);
  workshop.edit({{{"op", "delete"}, {"names", {"coupler", "follower"}}}});
  EXPECT_EQ(workshop.player.picture().bodies.size(), 0U);
}

TEST(ViewEdit, GeneratedThingsMayBeJoinedButNotDeleted) {
  Workshop workshop("generate:\n  - {kind: chain, name: link, links: 3}\n");
  EXPECT_THROW(workshop.edit({{{"op", "delete"}, {"name", "link2"}}}), InvalidInput);
  workshop.edit({{{"op", "add-body"}, {"kind", "ball"}, {"name", "bob"}, {"position", {3, 0, 0}}},
                 {{"op", "connect"},
                  {"kind", "ball"},
                  {"name", "hook"},
                  {"a", {{"body", "bob"}, {"point", {0, 0, 0}}}},
                  {"b", {{"body", "link3"}, {"point", {0.5, 0, 0}}}}}});
  EXPECT_EQ(workshop.player.picture().bodies.size(), 4U);
}

TEST(ViewEdit, EndsFollowTheLengthOfARod) {
  Workshop workshop(kEmpty);
  workshop.edit(four_bar_bars());
  workshop.edit({hinge("p0", "crank", {-0.5, 0, 0}, "world", {0, 0, 0}),
                 hinge("p1", "coupler", {-1.5, 0, 0}, "crank", {0.5, 0, 0})});
  workshop.edit({{{"op", "set"}, {"name", "crank"}, {"key", "length"}, {"value", 2.0}}});
  EXPECT_NEAR(workshop.position("crank").norm(), 1.0, 1e-9);
  EXPECT_LT(workshop.player.sim().constraint_error(), 1e-9);
  workshop.edit({{{"op", "set"}, {"name", "crank"}, {"key", "mass"}, {"value", 7.0}}});
  EXPECT_EQ(workshop.player.picture().bodies[0].mass, 7.0);
}

TEST(ViewEdit, RefusedEditsChangeNothing) {
  Workshop workshop(kEmpty);
  workshop.edit(four_bar_bars());
  const Json before = workshop.document.scene;
  const Json bad[] = {
      {{"op", "fly"}},
      {{"op", "add-body"}, {"kind", "cloud"}},
      {{"op", "add-body"}, {"kind", "rod"}, {"name", "crank"}},
      {{"op", "add-body"}, {"kind", "rod"}, {"mass", -1}},
      {{"op", "connect"}, {"kind", "hinge"}},
      {{"op", "connect"}, {"kind", "rope"}, {"a", {{"body", "crank"}}}, {"b", {{"body", "coupler"}}}},
      {{"op", "connect"}, {"kind", "hinge"}, {"a", {{"body", "crank"}}}, {"b", {{"body", "crank"}}}},
      {{"op", "connect"}, {"kind", "spring"}, {"a", {{"body", "nobody"}}}},
      {{"op", "set"}, {"name", "crank"}, {"key", "mass"}, {"value", "heavy"}},
      {{"op", "set"}, {"name", "crank"}, {"key", "length"}, {"value", -1}},
      {{"op", "set"}, {"name", "crank"}, {"key", "name"}, {"value", "x"}}};
  for (const Json& edit : bad) EXPECT_THROW(workshop.edit({edit}), InvalidInput) << edit;
  EXPECT_EQ(workshop.document.scene, before);
  EXPECT_EQ(workshop.player.picture().bodies.size(), 3U);
}

TEST(ViewEdit, RedundantJointsAreMarked) {
  Workshop workshop(kEmpty);
  workshop.edit({rod("bar", {0, 0, 0}, {1, 0, 0}), hinge("left", "bar", {-0.5, 0, 0}, "world", {0, 0, 0}),
                 hinge("right", "bar", {0.5, 0, 0}, "world", {1, 0, 0})});
  EXPECT_EQ(workshop.player.report().redundant_rows, 1);
  int marked = 0;
  for (const PictureJoint& joint : workshop.player.picture().joints) marked += joint.redundant_rows;
  EXPECT_EQ(marked, 1);
}

TEST(ViewEdit, EveryExampleCanBeWrittenAndReadAgain) {
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(CATENA_SOURCE_DIR) / "examples")) {
    if (file.path().extension() != ".yaml") continue;
    const Document document = document_from_file(file.path().string(), {});
    const Scene first = load_scene(file.path()), second = read_scene(document, "scene");
    ASSERT_EQ(first.model.bodies().size(), second.model.bodies().size()) << file.path();
    for (std::size_t i = 0; i < first.model.bodies().size(); ++i)
      EXPECT_EQ(first.model.bodies()[i].q, second.model.bodies()[i].q) << file.path();
  }
}

TEST(ViewHistory, UndoAndRedoGoThroughAllVersions) {
  History history;
  Document document;
  for (int i = 0; i < 3; ++i) {
    Document next = document;
    next.scene["title"] = i;
    history.note(std::exchange(document, next), true);
  }
  for (int i = 1; i >= -1; --i) {
    const Document before = history.undo_version().document;
    history.undone(std::exchange(document, before));
    EXPECT_EQ(document.scene.value("title", -1), i);
  }
  EXPECT_FALSE(history.can_undo());
  for (int i = 0; i < 3; ++i) {
    const Document after = history.redo_version().document;
    history.redone(std::exchange(document, after));
    EXPECT_EQ(document.scene.value("title", -1), i);
  }
  EXPECT_FALSE(history.can_redo());
}

TEST(ViewHistory, LargeDocumentsTakeABoundedNumberOfBytes) {
  History history;
  Document document;
  document.scene["description"] = std::string(std::size_t(3) << 20, 'x');
  for (int i = 0; i < 60; ++i) {
    document.scene["title"] = i;
    history.note(document, true);
    EXPECT_LE(history.bytes(), History::kMostBytes);
  }
  EXPECT_EQ(history.undo_version().document.scene["title"], 59);
  EXPECT_EQ(history.undo_version().document, document);
}

}  // namespace
}  // namespace catena::app
