// Film strips: panels with the mechanism at several instants, on one scale and from one side.
//
// Every panel shows the mechanism in full colour, the panel before it as a shadow, and the path of the body
// that travels farthest. Rods are thick lines, spheres and points discs, boxes outlines; bearings on the
// ground are hatched.
#include "catena/output.h"
#include "io/film_strip_frame.h"
#include "io/film_strip_view.h"
#include "io/svg_plot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kPageWidth = 1200, kMargin = 24, kGap = 12, kHeader = 56, kLabel = 26;  // px
constexpr std::size_t kMaxTraced = 200;
constexpr std::size_t kMaxPathPoints = 800;

struct Path {
  BodyId body;
  std::vector<double> time;
  std::vector<Vec3> x;
  double length() const {
    double sum = 0;
    for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - x[i - 1]).norm();
    return sum;
  }
};

/// World metres to pixels of one panel.
struct Panel {
  const View* view;
  Vec2 centre;   // of the picture, in metres of the projection
  double scale;  // px/m
  double left, top, width, height;
  Vec2 operator()(const Vec3& point) const {
    const Vec2 p = view->project(point) - centre;
    return {left + width / 2 + scale * p.x(), top + height / 2 - scale * p.y()};
  }
};

struct Ink {
  const char *rod, *disc, *box, *link;
};
constexpr Ink kFull{"#1f5fa8", "#d1495b", "#e08e1b", "#4b5a68"};
constexpr Ink kShadow{"#d3dde8", "#ecdadd", "#efe3cf", "#dfe4e9"};

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
      const double radius = std::max(3.0, body.shape.size.x() * panel.scale);
      // a spoke shows how it turns
      const Vec2 rim = panel(body.x + body.shape.size.x() * body.R.col(0));
      return disc(at, radius, ink.disc, svg::kPaper) + (radius > 6 ? line(at, rim, svg::kPaper, 1.2) : "");
    }
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
    fmt::format_to(std::back_inserter(out), "{:.1f},{:.1f} ", p.x(), p.y());
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

std::string draw_frame(const FilmFrame& frame, const Panel& panel, const Ink& ink, bool with_joints) {
  std::string out = "<g stroke-linecap=\"round\">\n";
  for (const DrawnLink& link : frame.links) out += draw_link(link, panel, ink.link);
  std::vector<const DrawnBody*> order;
  for (const DrawnBody& body : frame.bodies) order.push_back(&body);
  std::stable_sort(order.begin(), order.end(), [&](const DrawnBody* a, const DrawnBody* b) {
    return panel.view->depth(a->x) < panel.view->depth(b->x);
  });
  if (with_joints)
    for (const DrawnJoint& joint : frame.joints)
      if (joint.grounded) out += draw_bearing(panel(joint.x));
  for (const DrawnBody* body : order) out += draw_body(*body, panel, ink);
  const bool crowded = frame.joints.size() > 40;
  if (with_joints && !crowded)
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
    fmt::format_to(std::back_inserter(out), "{:.1f},{:.1f} ", p.x(), p.y());
  };
  for (std::size_t i = 0; i + 1 < count; i += stride) add(path.x[i]);
  add(path.x[count - 1]);
  return out + "\" fill=\"none\" stroke=\"#d1495b\" stroke-opacity=\"0.45\" stroke-width=\"1.2\"/>\n";
}

/// Columns that bring the page nearest to a 2 : 1 format with few empty places.
int choose_columns(int panels, double aspect) {
  int best = 1;
  double best_cost = HUGE_VAL;
  for (int columns = 1; columns <= panels; ++columns) {
    const int rows = (panels + columns - 1) / columns;
    const double height = rows * (kPageWidth / columns / aspect + kLabel);
    const double cost = std::abs(std::log(height / 600)) + 0.15 * (columns * rows - panels);
    if (cost < best_cost) best_cost = cost, best = columns;
  }
  return best;
}

std::string draw_axes(const View& view, double x, double y) {
  if (view.right_name.empty() || view.up_name.empty()) return {};
  const Vec2 origin(x, y);
  return line(origin, origin + Vec2(26, 0), svg::kFaintInk, 1.3) +
         line(origin, origin - Vec2(0, 26), svg::kFaintInk, 1.3) +
         svg::text(x + 31, y + 4, view.right_name, "start", 12, svg::kFaintInk) +
         svg::text(x - 3, y - 31, view.up_name, "start", 12, svg::kFaintInk);
}

}  // namespace

struct FilmStrip::Impl {
  std::vector<FilmFrame> frames;
  std::vector<Path> paths;
  Vec3 gravity = Vec3::Zero();
  bool planar = true;

  void look_at(const Model& model) {
    gravity = model.gravity;
    for (const BodyEntry& entry : model.bodies()) planar = planar && entry.body->is_planar();
  }

  std::vector<const Path*> shown_paths() const {
    std::vector<const Path*> shown;
    for (const Path& path : paths) shown.push_back(&path);
    std::sort(shown.begin(), shown.end(),
              [](const Path* a, const Path* b) { return a->length() > b->length(); });
    if (shown.size() > 3) shown.resize(1);
    return shown;
  }
};

FilmStrip::FilmStrip() : impl_(std::make_unique<Impl>()) {}
FilmStrip::~FilmStrip() = default;
FilmStrip::FilmStrip(FilmStrip&&) noexcept = default;
FilmStrip& FilmStrip::operator=(FilmStrip&&) noexcept = default;

int FilmStrip::size() const {
  return int(impl_->frames.size());
}

void FilmStrip::snapshot(const Simulation& sim) {
  impl_->look_at(sim.model());
  impl_->frames.push_back(capture_frame(sim));
}

void FilmStrip::trace(const Simulation& sim) {
  const auto bodies = sim.model().bodies();
  const std::size_t stride = (bodies.size() + kMaxTraced - 1) / kMaxTraced;
  for (std::size_t i = 0, k = 0; i < bodies.size(); ++i) {
    if (i % stride != 0 && i + 1 != bodies.size()) continue;
    if (k == impl_->paths.size()) impl_->paths.push_back({bodies[i].id, {}, {}});
    Path& path = impl_->paths[k++];
    if (!(path.body == bodies[i].id)) continue;  // the structure changed: this path ends here
    path.time.push_back(sim.time());
    path.x.push_back(sim.placement(bodies[i].id).position);
  }
}

std::string FilmStrip::render(const FilmStripOptions& options) const {
  // one view and one scale for all panels
  std::vector<Vec3> points;
  for (const FilmFrame& frame : impl_->frames) append_extent(frame, points);
  const auto paths = impl_->shown_paths();
  for (const Path* path : paths) points.insert(points.end(), path->x.begin(), path->x.end());
  std::erase_if(points, [](const Vec3& p) { return !p.allFinite(); });
  const View view = choose_view(points, impl_->gravity, impl_->planar, options.view);
  Vec2 low(HUGE_VAL, HUGE_VAL), high(-HUGE_VAL, -HUGE_VAL);
  for (const Vec3& p : points) low = low.cwiseMin(view.project(p)), high = high.cwiseMax(view.project(p));
  if (points.empty()) low.setConstant(-1), high.setConstant(1);
  const double largest = std::max((high - low).maxCoeff(), 1e-9);
  const Vec2 extent = (high - low).cwiseMax(0.25 * largest);  // at most 4 : 1

  const int count = std::max(1, size());
  const int columns =
      std::min(count, options.columns > 0 ? options.columns : choose_columns(count, extent.x() / extent.y()));
  const int rows = (count + columns - 1) / columns;
  const double width = (kPageWidth - 2 * kMargin - (columns - 1) * kGap) / columns;
  constexpr double kPadding = 22;  // inside a panel, for discs and bearings at the rim
  const double scale = (width - 2 * kPadding) / extent.x();
  const double height = scale * extent.y() + 2 * kPadding;

  const double page_height = kHeader + rows * (height + kLabel) + (rows - 1) * kGap + kMargin;
  std::string out = svg::open(kPageWidth, page_height, options.title);
  out += svg::text(kMargin, 35, options.title, "start", 19, svg::kInk, "font-weight=\"600\"");
  for (int i = 0; i < size(); ++i) {
    const FilmFrame& frame = impl_->frames[std::size_t(i)];
    const double left = kMargin + (i % columns) * (width + kGap);
    const double top = kHeader + (i / columns) * (height + kLabel + kGap);
    const Panel panel{&view, 0.5 * (low + high), scale, left, top, width, height};
    out += fmt::format(
        "<clipPath id=\"p{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
        "</clipPath>\n<rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\" fill=\"{5}\" "
        "stroke=\"#c5ced8\"/>\n<g clip-path=\"url(#p{0})\">\n",
        i, left, top, width, height, svg::kPaper);
    if (i > 0) out += draw_frame(impl_->frames[std::size_t(i) - 1], panel, kShadow, false);
    for (const Path* path : paths) out += draw_path(*path, frame.time, panel);
    out += draw_frame(frame, panel, kFull, true) + "</g>\n";
    out += svg::text(left + 2, top + height + 17, fmt::format("t = {:.3g} s", frame.time), "start", 13,
                     svg::kFaintInk);
    if (i == 0) out += draw_axes(view, left + 12, top + height - 12);
  }
  return out + "</svg>\n";
}

}  // namespace catena
