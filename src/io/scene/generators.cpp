// Section `generate`: large regular structures in a few lines. Everything is linear in the number of bodies.
//
//   chain         rods or particles in a row, with a payload if wanted
//   tree          every rod carries `branching` rods at its end
//   random-tree   every rod hangs at the end of a random earlier one
//   star          arms of rods about a hub
//   ladder        two chains with rungs: a loop per rung
//   net           a grid of particles and distance constraints: a loop per mesh
#include "catena/joints.h"
#include "io/scene/rod_builder.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <random>

namespace catena::io {

namespace {

constexpr int kMaxBodies = 2'000'000;

const Record& payload_record() {
  static const Record record{"",
                             "a point mass at the end",
                             {
                                 {"mass", Value::positive, "kg", "mass", kRequired},
                                 {"radius", Value::positive, "m", "radius in pictures"},
                             }};
  return record;
}

const Record& hub_record() {
  static const Record record{"",
                             "the body in the middle",
                             {
                                 {"mass", Value::positive, "kg", "mass", kRequired},
                                 {"radius", Value::positive, "m", "radius; the arms begin there", kRequired},
                             }};
  return record;
}

const Key kAnchor{"anchor", Value::body, "", "what it hangs on: a body, world or free; default world"};

Record chain_record() {
  std::vector<Key> keys = join_keys(
      {RodBuilder::keys("chain", "prefix of names; default link"),
       {
           {"links", Value::count, "", "number of links", kRequired},
           {"total_length", Value::positive, "m", "of all links, instead of length"},
           {"total_mass", Value::positive, "kg", "of all links, instead of mass"},
           {"twist_deg", Value::number, "°",
            "turn of the hinge axis about the chain from joint to joint; default 0"},
           {"bend_deg", Value::number, "°", "turn of the chain about axis from link to link; default 0"},
           kAnchor,
           {"end", Value::body, "", "what the other end is joined to: a body, world or free; default free"},
           {"payload", Value::record, "", "a point mass at the end", kOptional, payload_record},
       }});
  for (Key& key : keys)
    if (key.name == "body") key.details.choices = {"rod", "planar", "particle", "particle-2d"};
  return {"chain", "links in a row", std::move(keys)};
}

Record net_record() {
  return {"net",
          "a grid of particles and distance constraints",
          {
              {"kind", Value::choice, "", "kind of generator", kRequired, {"net"}},
              {"name", Value::name, "", "prefix of names; default node"},
              {"body",
               Value::choice,
               "",
               "kind of body; default particle",
               kOptional,
               {"particle", "particle-2d"}},
              {"rows", Value::count, "", "particles downwards", kRequired},
              {"columns", Value::count, "", "particles sideways", kRequired},
              {"spacing", Value::positive, "m", "between neighbours; default 1"},
              {"mass", Value::positive, "kg", "of a particle; default 1"},
              {"start", Value::vector, "m", "the first corner; default the origin"},
              {"along", Value::direction, "", "direction of rows; default x"},
              {"down", Value::direction, "", "direction of columns; default -y"},
              {"fixed",
               Value::choice,
               "",
               "what is nailed to the world; default corners, the two of the first row",
               kOptional,
               {"corners", "top", "none"}},
          }};
}

}  // namespace

const Variant& generator_variants() {
  static const Variant variant{
      "generator",
      "kind",
      {
          chain_record(),
          {"tree", "every rod carries rods at its end",
           join_keys({RodBuilder::keys("tree", "prefix of names; default branch"),
                      {{"depth", Value::count, "", "levels", kRequired},
                       {"branching", Value::count, "", "rods at the end of each; default 2"},
                       {"spread_deg", Value::number, "°",
                        "fan of the first fork; halves with every level; in space forks lie across each "
                        "other; default 90"},
                       kAnchor}})},
          {"random-tree", "every rod hangs at the end of a random earlier one",
           join_keys({RodBuilder::keys("random-tree", "prefix of names; default branch"),
                      {{"bodies", Value::count, "", "number of rods", kRequired},
                       {"seed", Value::integer, "", "of the random numbers; default 1"},
                       kAnchor}})},
          {"star", "arms about a hub",
           join_keys({RodBuilder::keys("star", "prefix of names; default arm"),
                      {{"arms", Value::count, "", "number of arms", kRequired},
                       {"links", Value::count, "", "rods per arm; default 1"},
                       {"normal", Value::direction, "", "normal of the plane of the arms; default z"},
                       {"hub", Value::record, "", "the body in the middle", kRequired, hub_record},
                       kAnchor}})},
          {"ladder", "two chains with rungs",
           join_keys({RodBuilder::keys("ladder", "prefix of names; default bar"),
                      {{"rungs", Value::count, "", "number of rungs", kRequired},
                       {"width", Value::positive, "m", "distance of the rails; default length"},
                       {"side", Value::direction, "",
                        "from the first rail to the second; default y, across in the plane"}}})},
          net_record(),
      }};
  return variant;
}

namespace {

// the body, the world, or nothing for `free`
struct Anchor {
  bool exists = false;
  BodyRef body;
};

std::optional<Anchor> read_anchor(SceneContext& context, const Fields& fields, std::string_view key,
                                  bool fallback) {
  if (!fields.has(key)) return Anchor{fallback, {}};
  if (fields.text(key).value_or("") == "free") return Anchor{};
  const auto body = context.find_body(fields, key);
  if (!body) return std::nullopt;
  return Anchor{true, *body};
}

bool fits(const SceneContext& context, const Fields& fields, std::string_view key, double bodies) {
  const double all = bodies + double(context.scene.model.bodies().size());
  if (all <= kMaxBodies) return true;
  fields.report(key, fmt::format("with this the scene has {} bodies", all),
                fmt::format("stay below {}", kMaxBodies));
  return false;
}

std::shared_ptr<const Body> make_particle(bool planar, double mass) {
  if (planar) return std::make_shared<Particle2>(mass);
  return std::make_shared<Particle3>(mass);
}

Vec3 turn(const Vec3& v, double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis) * v;
}

void make_particle_chain(SceneContext& context, const Fields& fields, RodBuilder& builder, int links,
                         double mass, const Anchor& anchor) {
  const auto particle = make_particle(builder.planar(), mass);
  const double bend = fields.number("bend_deg", 0.0) * kDegree;
  Vec3 along = builder.direction(), at = builder.start();
  BodyRef before = anchor.body;
  for (int i = 1; i <= links; ++i) {
    const Vec3 from = at;
    at += builder.length() * along;
    const auto body = builder.add_body(fmt::format("{}", i), particle, at, {});
    if (!body) return;
    if (i > 1 || anchor.exists)
      builder.add_constraint(
          distance(context.scene.model.join(body->id, before.id, at, Vec3::UnitZ(), from), builder.length()));
    before = *body;
    along = turn(along, bend, builder.axis());
  }
}

void make_chain(SceneContext& context, const Fields& fields) {
  const int links = fields.integer("links", 1);
  fields.exclusive({"length", "total_length"});
  fields.exclusive({"mass", "total_mass"});
  RodBuilder builder(context, fields, "link", links);
  const auto anchor = read_anchor(context, fields, "anchor", true),
             end = read_anchor(context, fields, "end", false);
  const auto payload = fields.fields("payload");
  const double payload_mass = payload ? payload->number("mass", 1.0) : 0.0;
  const double payload_radius = payload ? payload->number("radius", 0.0) : 0.0;
  const double bend = fields.number("bend_deg", 0.0) * kDegree,
               twist = fields.number("twist_deg", 0.0) * kDegree;
  if (!anchor || !end || !fits(context, fields, "links", links) || !fields.ok()) return;

  if (fields.text("body").value_or("rod").starts_with("particle")) {
    for (const std::string_view key : {"joint", "radius", "twist_deg"})
      if (fields.has(key))
        fields.report(key, fmt::format("'{}' means nothing for a chain of particles", key), "remove it");
    if (payload || end->exists)
      fields.report("body", "a chain of particles has no payload and a free end",
                    "add them as bodies and distance constraints");
    const double mass =
        fields.has("total_mass") ? fields.number("total_mass", 1.0) / links : fields.number("mass", 1.0);
    if (fields.ok()) make_particle_chain(context, fields, builder, links, mass, *anchor);
    return;
  }
  Vec3 along = builder.direction(), at = builder.start(), axis = builder.axis();
  BodyRef before = anchor->body;
  for (int i = 0; i < links; ++i) {
    const auto body = builder.add_rod(at, along);
    if (!body) return;
    if (i > 0 || anchor->exists) builder.add_joint(*body, before, at, axis);
    before = *body;
    at += builder.length() * along;
    along = turn(along, bend, builder.axis());
    axis = turn(axis, twist, along);
  }
  if (payload) {
    const auto particle = make_particle(builder.planar(), payload_mass);
    const Shape::Kind shape = payload_radius > 0.0 ? Shape::Kind::sphere : Shape::Kind::point;
    const auto body = builder.add_body("-payload", particle, at, {shape, {payload_radius, 0.0, 0.0}});
    if (body) builder.add_joint(*body, before, at);
  }
  if (end->exists) builder.add_joint(before, end->body, at, axis);
}

void make_tree(SceneContext& context, const Fields& fields) {
  RodBuilder builder(context, fields, "branch");
  const int depth = fields.integer("depth", 1), branching = fields.integer("branching", 2);
  const double spread = fields.number("spread_deg", 90.0) * kDegree;
  const auto anchor = read_anchor(context, fields, "anchor", true);
  double bodies = 0.0, level_size = 1.0;
  for (int level = 0; level < depth && bodies <= kMaxBodies; ++level, level_size *= branching)
    bodies += level_size;
  if (!anchor || !fits(context, fields, "depth", bodies) || !fields.ok()) return;

  struct Tip {
    BodyRef body;
    Vec3 at, along, fan_axis;
  };
  std::vector<Tip> tips;
  const auto grow = [&](const BodyRef& parent, bool joined, const Vec3& at, const Vec3& along,
                        const Vec3& axis) {
    const auto body = builder.add_rod(at, along);
    if (!body) return;
    if (joined) builder.add_joint(*body, parent, at, axis);
    // forks lie across each other in space
    const Vec3 fan_axis = builder.planar() ? axis : turn(axis, std::numbers::pi / 2, along);
    tips.push_back({*body, at + builder.length() * along, along, fan_axis});
  };
  grow(anchor->body, anchor->exists, builder.start(), builder.direction(), builder.axis());
  double fan = spread;
  for (int level = 1; level < depth; ++level, fan *= 0.5) {
    const std::vector<Tip> below = std::move(tips);
    tips.clear();
    for (const Tip& tip : below)
      for (int k = 0; k < branching; ++k) {
        const double angle = branching == 1 ? 0.0 : fan * (double(k) / (branching - 1) - 0.5);
        grow(tip.body, true, tip.at, turn(tip.along, angle, tip.fan_axis), tip.fan_axis);
      }
  }
}

void make_random_tree(SceneContext& context, const Fields& fields) {
  RodBuilder builder(context, fields, "branch");
  const int bodies = fields.integer("bodies", 1);
  std::mt19937 random(std::uint32_t(fields.integer("seed", 1)));
  const auto anchor = read_anchor(context, fields, "anchor", true);
  if (!anchor || !fits(context, fields, "bodies", bodies) || !fields.ok()) return;

  // own distributions: those of the standard library differ between compilers
  const auto uniform = [&random] { return double(random()) / 4294967296.0; };
  std::vector<BodyRef> rods;
  std::vector<Vec3> ends;
  for (int i = 0; i < bodies; ++i) {
    const auto parent = std::size_t(uniform() * i);
    const double azimuth = 2.0 * std::numbers::pi * uniform();
    const double z = builder.planar() ? 0.0 : 2.0 * uniform() - 1.0, r = std::sqrt(1.0 - z * z);
    const Vec3 along = i == 0 ? builder.direction() : Vec3(r * std::cos(azimuth), r * std::sin(azimuth), z);
    const Vec3 at = i == 0 ? builder.start() : ends[parent];
    const auto body = builder.add_rod(at, along);
    if (!body) return;
    if (i > 0)
      builder.add_joint(*body, rods[parent], at);
    else if (anchor->exists)
      builder.add_joint(*body, anchor->body, at);
    rods.push_back(*body);
    ends.push_back(at + builder.length() * along);
  }
}

void make_star(SceneContext& context, const Fields& fields) {
  RodBuilder builder(context, fields, "arm");
  const int arms = fields.integer("arms", 1), links = fields.integer("links", 1);
  const Vec3 normal = fields.vector("normal", Vec3::UnitZ()).normalized();
  const auto hub_fields = fields.fields("hub");
  const double mass = hub_fields ? hub_fields->number("mass", 1.0) : 1.0;
  const double radius = hub_fields ? hub_fields->number("radius", 1.0) : 1.0;
  const auto anchor = read_anchor(context, fields, "anchor", true);
  if (std::abs(builder.direction().dot(normal)) > 1e-9)
    fields.report("normal", "'normal' must be at right angles to 'direction'", "turn one of them");
  if (!anchor || !fits(context, fields, "arms", double(arms) * links) || !fields.ok()) return;

  const std::shared_ptr<const Body> hub_body =
      builder.planar() ? std::make_shared<PlanarRigid>(mass, 0.5 * mass * radius * radius)
                       : sphere(mass, radius);
  const auto hub =
      builder.add_body("-hub", hub_body, builder.start(), {Shape::Kind::sphere, {radius, 0.0, 0.0}});
  if (!hub) return;
  if (anchor->exists) builder.add_joint(*hub, anchor->body, builder.start());
  for (int arm = 0; arm < arms; ++arm) {
    const Vec3 along = turn(builder.direction(), 2.0 * std::numbers::pi * arm / arms, normal);
    Vec3 at = builder.start() + radius * along;
    BodyRef before = *hub;
    for (int i = 0; i < links; ++i) {
      const auto body = builder.add_rod(at, along);
      if (!body) return;
      builder.add_joint(*body, before, at);
      before = *body;
      at += builder.length() * along;
    }
  }
}

void make_ladder(SceneContext& context, const Fields& fields) {
  RodBuilder builder(context, fields, "bar");
  const int rungs = fields.integer("rungs", 1);
  const double width = fields.number("width", builder.length());
  const Vec3 across = builder.planar() ? Vec3(Vec3::UnitZ().cross(builder.direction())) : Vec3(Vec3::UnitY());
  const Vec3 side = fields.vector("side", across).normalized();
  if (!fits(context, fields, "rungs", 3.0 * rungs) || !fields.ok()) return;

  BodyRef rail[2];
  for (int i = 0; i < rungs; ++i) {
    const Vec3 from[2] = {builder.start() + i * builder.length() * builder.direction(),
                          builder.start() + i * builder.length() * builder.direction() + width * side};
    for (int k = 0; k < 2; ++k) {
      const auto body = builder.add_rod(from[k], builder.direction());
      if (!body) return;
      builder.add_joint(*body, rail[k], from[k]);
      rail[k] = *body;
    }
    const Vec3 step = builder.length() * builder.direction();
    const auto rung = builder.add_rod(from[0] + step, side, width);
    if (!rung) return;
    for (int k = 0; k < 2; ++k) builder.add_joint(*rung, rail[k], from[k] + step);
  }
}

void make_net(SceneContext& context, const Fields& fields) {
  const int rows = fields.integer("rows", 1), columns = fields.integer("columns", 1);
  const double spacing = fields.number("spacing", 1.0), mass = fields.number("mass", 1.0);
  const Vec3 start = fields.vector("start", Vec3::Zero());
  const Vec3 along = fields.vector("along", Vec3::UnitX()).normalized();
  const Vec3 down = fields.vector("down", -Vec3::UnitY()).normalized();
  const std::string fixed = fields.text("fixed").value_or("corners"),
                    prefix = fields.text("name").value_or("node");
  const bool planar = fields.text("body").value_or("particle") == "particle-2d";
  if (!fits(context, fields, "rows", double(rows) * columns) || !fields.ok()) return;

  const auto particle = make_particle(planar, mass);
  const Node& node = fields.node();
  std::vector<BodyRef> above, here;
  int bar = 0;
  const auto tie = [&](const BodyRef& a, const BodyRef& b) {
    const auto at =
        context.scene.model.join(a.id, b.id, a.placement.position, Vec3::UnitZ(), b.placement.position);
    context.add_constraint(node, fmt::format("{}-bar{}", prefix, ++bar), distance(at, spacing));
  };
  for (int i = 0; i < rows; ++i) {
    here.clear();
    for (int j = 0; j < columns; ++j) {
      const Vec3 at = start + spacing * (j * along + i * down);
      const auto body =
          context.add_body(node, fmt::format("{}{}-{}", prefix, i + 1, j + 1), particle, {.position = at});
      if (!body) return;
      here.push_back(*body);
      if (j > 0) tie(*body, here[std::size_t(j) - 1]);
      if (i > 0) tie(*body, above[std::size_t(j)]);
      const bool corner = j == 0 || j == columns - 1;
      if (i == 0 && (fixed == "top" || (fixed == "corners" && corner)))
        context.add_constraint(node, fmt::format("{}-nail{}", prefix, j + 1),
                               nail(mark_with_axes(*body, at, Mat3::Identity()), at));
    }
    std::swap(above, here);
  }
}

}  // namespace

void read_generator(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, generator_variants(), context.reading());
  if (!fields) return;
  const std::string_view kind = fields->record().kind;
  if (kind == "chain") make_chain(context, *fields);
  if (kind == "tree") make_tree(context, *fields);
  if (kind == "random-tree") make_random_tree(context, *fields);
  if (kind == "star") make_star(context, *fields);
  if (kind == "ladder") make_ladder(context, *fields);
  if (kind == "net") make_net(context, *fields);
}

}  // namespace catena::io
