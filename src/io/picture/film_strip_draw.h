// Draws the things of a film strip into one panel, as SVG elements.
#pragma once

#include "io/picture/film_strip_frame.h"
#include "io/picture/film_strip_view.h"

#include <string>

namespace catena {

/// World metres to pixels of one panel.
struct Panel {
  const View* view;
  Vec2 centre;                      // of the picture, in metres of the projection
  double scale;                     // px/m
  double left, top, width, height;  // px
  Vec2 operator()(const Vec3& point) const {
    const Vec2 p = view->project(point) - centre;
    return {left + width / 2 + scale * p.x(), top + height / 2 - scale * p.y()};
  }
};

/// Where a body went.
struct Path {
  BodyId body;
  std::vector<double> time;
  std::vector<Vec3> x;
  double length() const;
};

/// The mechanism, in full colour or as a pale shadow without joints.
std::string draw_frame(const FilmFrame& frame, const Panel& panel, bool as_shadow);
std::string draw_path(const Path& path, double until, const Panel& panel);
/// Names of the axes at a corner; nothing when the view is not along a coordinate axis.
std::string draw_axes(const View& view, double x, double y);

}  // namespace catena
