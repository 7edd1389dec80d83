// Rods are thick lines, spheres and points discs, boxes wire frames; bearings on the ground are hatched.
#include "io/picture/film_strip_draw.h"

#include "io/plot/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena {
namespace {

constexpr std::size_t kMaxJointMarks = 20;  // more would hide the bodies
constexpr std::size_t kMaxPathPoints = 800;

struct Ink {
  const char *rod, *disc, *pale_disc, *box, *link;
};
constexpr Ink kFull{"#1f5fa8", "#d1495b", "#f7dde1", "#e08e1b", "#4b5a68"};
constexpr Ink kShadow{"#d3dde8", "#ecdadd", "#f7f0f1", "#efe3cf", "#dfe4e9"};

std::string line(const Vec2& a, const Vec2& b, const char* colour, double width) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"/>\n",
      a.x(), a.y(), b.x(), b.y(), colour, width);
}

std::string disc(const Vec2& at, double radius, const char* fill, const char* stroke) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>\n", at.x(),
                     at.y(), radius, fill, stroke);
}

/// The three pairs of faces of a box, seen as a wire frame.
std::string draw_box(const DrawnBody& body, const Panel& panel, const char* colour) {
  std::string out;
  const auto corner = [&](int index) {
    const Vec3 sign(index & 1 ? 0.5 : -0.5, index & 2 ? 0.5 : -0.5, index & 4 ? 0.5 : -0.5);
    return panel(body.x + body.R * body.shape.size.cwiseProduct(sign));
  };
  for (int a = 0; a < 8; ++a)
    for (int bit : {1, 2, 4})
      if (!(a & bit)) out += line(corner(a), corner(a | bit), colour, 1.6);
  return out;
}

std::string draw_body(const DrawnBody& body, const Panel& panel, const Ink& ink) {
  switch (body.shape.kind) {
    case Shape::Kind::rod: {
      const double width = std::clamp(2 * body.shape.size.y() * panel.scale, 2.6, 14.0);
      return line(panel(body.end(-1)), panel(body.end(+1)), ink.rod, width);
    }
    case Shape::Kind::box:
      return draw_box(body, panel, ink.box);
    case Shape::Kind::sphere: {
      const Vec2 at = panel(body.x);
      const double radius = body.shape.size.x() * panel.scale;
      if (radius < 10) return disc(at, std::max(3.0, radius), ink.disc, svg::kPaper);
      // a large one is a pale disc with a spoke that shows how it turns
      return disc(at, radius, ink.pale_disc, ink.disc) +
             line(at, panel(body.x + body.shape.size.x() * body.R.col(0)), ink.disc, 1.4);
    }
    case Shape::Kind::disc:  // their outlines are among the links
    case Shape::Kind::ellipsoid:
    case Shape::Kind::point:
      break;
  }
  return disc(panel(body.x), 4.5, ink.disc, svg::kPaper);
}

std::string draw_link(const DrawnLink& link, const Panel& panel, const char* colour) {
  const Vec2 a = panel(link.a), b = panel(link.b);
  if (!link.spring) return line(a, b, colour, 1.8);
  const Vec2 along = b - a;
  const double length = along.norm();
  if (length < 12) return line(a, b, colour, 1.2);
  const Vec2 side = Vec2(-along.y(), along.x()) / length * 5;
  std::string out = fmt::format("<polyline points=\"{:.1f},{:.1f} ", a.x(), a.y());
  constexpr int kTurns = 12;
  for (int i = 0; i <= kTurns; ++i) {
    const double s = 0.15 + 0.7 * i / kTurns;
    const Vec2 p = a + s * along + (i == 0 || i == kTurns ? 0 : i % 2 ? 1 : -1) * side;
    out += fmt::format("{:.1f},{:.1f} ", p.x(), p.y());
  }
  return out + fmt::format("{:.1f},{:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\"/>\n", b.x(),
                           b.y(), colour);
}

/// A bearing: a small triangle on a hatched ground.
std::string draw_bearing(const Vec2& at) {
  std::string out = fmt::format("<path d=\"M{0:.1f},{1:.1f} l-6,9 h12 z\" fill=\"{2}\" stroke=\"{3}\"/>\n",
                                at.x(), at.y(), svg::kPaper, svg::kInk);
  out += line(at + Vec2(-10, 9), at + Vec2(10, 9), svg::kInk, 1.4);
  for (int i = -2; i <= 2; ++i) out += line(at + Vec2(4 * i, 9), at + Vec2(4 * i - 4, 13), svg::kInk, 0.8);
  return out;
}

}  // namespace

double Path::length() const {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - x[i - 1]).norm();
  return sum;
}

std::string draw_frame(const FilmFrame& frame, const Panel& panel, bool as_shadow) {
  const Ink& ink = as_shadow ? kShadow : kFull;
  std::string out = "<g stroke-linecap=\"round\">\n";
  for (const DrawnLink& link : frame.links) out += draw_link(link, panel, ink.link);
  std::vector<const DrawnBody*> order;
  for (const DrawnBody& body : frame.bodies) order.push_back(&body);
  std::stable_sort(order.begin(), order.end(), [&](const DrawnBody* a, const DrawnBody* b) {
    return panel.view->depth(a->x) < panel.view->depth(b->x);
  });
  if (!as_shadow)
    for (const DrawnJoint& joint : frame.joints)
      if (joint.grounded) out += draw_bearing(panel(joint.x));
  for (const DrawnBody* body : order) out += draw_body(*body, panel, ink);
  const bool crowded = frame.joints.size() > kMaxJointMarks;
  if (!as_shadow && !crowded)
    for (const DrawnJoint& joint : frame.joints) out += disc(panel(joint.x), 2.2, svg::kPaper, svg::kInk);
  return out + "</g>\n";
}

std::string draw_path(const Path& path, double until, const Panel& panel) {
  std::size_t count = 0;
  while (count < path.time.size() && path.time[count] <= until * (1 + 1e-12)) ++count;
  if (count < 2) return {};
  const std::size_t stride = path.time.size() / kMaxPathPoints + 1;
  std::string out = "<polyline points=\"";
  const auto add = [&](const Vec3& x) {
    const Vec2 p = panel(x);
    out += fmt::format("{:.1f},{:.1f} ", p.x(), p.y());
  };
  for (std::size_t i = 0; i + 1 < count; i += stride) add(path.x[i]);
  add(path.x[count - 1]);
  return out + "\" fill=\"none\" stroke=\"#d1495b\" stroke-opacity=\"0.45\" stroke-width=\"1.2\"/>\n";
}

std::string draw_axes(const View& view, double x, double y) {
  if (view.right_name.empty() || view.up_name.empty()) return {};
  const Vec2 origin(x, y);
  return line(origin, origin + Vec2(26, 0), svg::kFaintInk, 1.3) +
         line(origin, origin - Vec2(0, 26), svg::kFaintInk, 1.3) +
         svg::text(x + 31, y + 4, view.right_name, "start", 12, svg::kFaintInk) +
         svg::text(x - 3, y - 31, view.up_name, "start", 12, svg::kFaintInk);
}

}  // namespace catena
