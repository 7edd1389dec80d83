// Film strips: panels with the mechanism at several instants, on one scale and from one side.
//
// Every panel shows the mechanism in full colour, the panel before it as a shadow, and the path of the body that
// travels farthest.
#include "catena/output.h"
#include "io/picture/film_strip_draw.h"
#include "io/plot/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kPageWidth = 1200, kMargin = 24, kGap = 12, kHeader = 56, kLabel = 26;  // px
constexpr std::size_t kMaxTraced = 200;

/// Columns that bring the page nearest to a 2 : 1 format with few empty places.
int choose_columns(int panels, double aspect) {
  int best = 1;
  double best_cost = HUGE_VAL;
  for (int columns = 1; columns <= panels; ++columns) {
    const int rows = (panels + columns - 1) / columns;
    const double height = rows * (kPageWidth / columns / aspect + kLabel);
    const double cost = std::abs(std::log(height / 600)) + 0.4 * (columns * rows - panels);
    if (cost < best_cost) best_cost = cost, best = columns;
  }
  return best;
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
  const auto paths = impl_->shown_paths();
  for (const Path* path : paths) points.insert(points.end(), path->x.begin(), path->x.end());
  for (const FilmFrame& frame : impl_->frames) append_moving_points(frame, points);
  const View view = choose_view(points, impl_->gravity, impl_->planar, options.view);
  for (const FilmFrame& frame : impl_->frames) append_extent(frame, points);
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
  out += draw_axes(view, kPageWidth - kMargin - 46, kHeader - 9);
  for (int i = 0; i < size(); ++i) {
    const FilmFrame& frame = impl_->frames[std::size_t(i)];
    const int row = i / columns, column = i % columns;
    const double left = kMargin + column * (width + kGap);
    const double top = kHeader + row * (height + kLabel + kGap);
    const Panel panel{&view, 0.5 * (low + high), scale, left, top, width, height};
    out += fmt::format(
        "<clipPath id=\"p{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
        "</clipPath>\n<rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\" fill=\"{5}\" "
        "stroke=\"#c5ced8\"/>\n<g clip-path=\"url(#p{0})\">\n",
        i, left, top, width, height, svg::kPaper);
    if (i > 0) out += draw_frame(impl_->frames[std::size_t(i) - 1], panel, true);
    for (const Path* path : paths) out += draw_path(*path, frame.time, panel);
    out += draw_frame(frame, panel, false) + "</g>\n";
    out += svg::text(left + 2, top + height + 17, fmt::format("t = {:.3g} s", frame.time), "start", 13,
                     svg::kFaintInk);
  }
  return out + "</svg>\n";
}

}  // namespace catena
