// Frames of a picture: placements and points of an instant, and their bytes.
#include "catena/output.h"
#include "io/picture/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace catena {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");
static_assert(sizeof(Arrow) == 28);

constexpr std::uint32_t kMagic = 0x314E5443;  // "CTN1"

void put(std::vector<float>& out, std::size_t& at, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[at++] = float(v[i]);
}

/// Where the rope from a point leaves the drum: p - t·∇l in the plane of the drum, equation (3) of ropes.cpp.
Vec3 touch_drum(const Simulation& sim, const PicturePoint& point) {
  const Marker a = sim.marker(point.at), drum = sim.marker(point.drum);
  const Vec3 p = drum.R.transpose() * (a.x - drum.x);
  const double d = std::hypot(p.x(), p.y());
  if (!(d > point.radius)) return a.x;
  const double t = std::sqrt(d * d - point.radius * point.radius);
  const Vec3 e_r(p.x() / d, p.y() / d, 0.0), e_phi(-e_r.y(), e_r.x(), 0.0);
  return a.x - t * (drum.R * ((t * e_r + point.winding * point.radius * e_phi) / d));
}

}  // namespace

void capture(const Simulation& sim, const Picture& picture, PictureFrame& frame, bool with_arrows) {
  const Model& model = sim.model();
  frame.time = sim.time();
  frame.poses.resize(7 * picture.bodies.size());
  std::size_t at = 0;
  for (const BodyEntry& entry :
       model.bodies().first(std::min(picture.bodies.size(), model.bodies().size()))) {
    const Placement placement = sim.placement(entry.id);
    put(frame.poses, at, placement.position);
    for (int i = 0; i < 4; ++i) frame.poses[at++] = float(placement.orientation.coeffs()[i]);
  }
  frame.points.resize(3 * picture.points.size());
  at = 0;
  for (const PicturePoint& point : picture.points)
    put(frame.points, at, point.on_drum ? touch_drum(sim, point) : sim.marker(point.at).x);

  frame.arrows.clear();
  if (!with_arrows) return;
  std::uint32_t joint = 0;
  for (const ConstraintEntry& entry : model.constraints()) {
    const auto markers = entry.constraint->attachments();
    const std::uint32_t index = joint++;
    if (markers.empty() || is_hidden(entry.name)) continue;
    const Vec3 force = sim.marker(markers.back()).R * sim.constraint_force(entry.id).force;
    const Vec3 origin = sim.marker(markers.front()).x;
    if (!force.allFinite() || !(force.squaredNorm() > 0.0)) continue;
    Arrow arrow{{}, {}, index};
    for (int i = 0; i < 3; ++i) arrow.origin[i] = float(origin[i]), arrow.force[i] = float(force[i]);
    frame.arrows.push_back(arrow);
  }
}

void encode_frame(const PictureFrame& frame, std::uint32_t revision, std::uint32_t flags, std::string& out) {
  const std::uint32_t sizes[4] = {std::uint32_t(frame.poses.size() / 7),
                                  std::uint32_t(frame.points.size() / 3), std::uint32_t(frame.arrows.size()),
                                  flags};
  const std::size_t bytes = 2 * sizeof(std::uint32_t) + sizeof(double) + sizeof sizes +
                            sizeof(float) * (frame.poses.size() + frame.points.size()) +
                            sizeof(Arrow) * frame.arrows.size();
  out.resize(bytes);
  char* to = out.data();
  const auto write = [&to](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  write(&kMagic, sizeof kMagic);
  write(&revision, sizeof revision);
  write(&frame.time, sizeof frame.time);
  write(sizes, sizeof sizes);
  write(frame.poses.data(), sizeof(float) * frame.poses.size());
  write(frame.points.data(), sizeof(float) * frame.points.size());
  write(frame.arrows.data(), sizeof(Arrow) * frame.arrows.size());
}

}  // namespace catena
