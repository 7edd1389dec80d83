// Recordings as animated glTF: bodies as nodes with their shapes, lines between moving points as pieces that stretch.
//
// A rod is modelled along x, so is a piece of a rope: its node lies in the middle, turned along it and scaled to its length.
// What is not there in a part of the run (the structure changed) is scaled to nothing.
#include "catena/output.h"
#include "catena/version.h"
#include "io/picture/gltf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace catena {
namespace {

using io::GltfFile;
using io::Mesh;

const Vec3 kSteel(0.33, 0.45, 0.58), kLoad(0.90, 0.47, 0.13), kBox(0.42, 0.56, 0.35), kDisc(0.24, 0.52, 0.70),
    kPoint(0.80, 0.20, 0.22), kRope(0.23, 0.20, 0.17), kSpring(0.72, 0.55, 0.10), kWire(0.16, 0.44, 0.62),
    kTable(0.70, 0.72, 0.75);

/// The motion of a node, one entry per frame.
struct NodeMotion {
  std::vector<float> translation, rotation, scale;
  void add(const Vec3& t, const Quat& r, const Vec3& s) {
    for (int c = 0; c < 3; ++c) translation.push_back(float(t[c])), scale.push_back(float(s[c]));
    // a quaternion and its negative are one rotation; players interpolate the short way only when neighbours agree
    const std::size_t n = rotation.size();
    double dot = 1.0;
    if (n > 0) {
      dot = 0.0;
      for (std::size_t c = 0; c < 4; ++c) dot += double(rotation[n - 4 + c]) * r.coeffs()[Eigen::Index(c)];
    }
    for (int c = 0; c < 4; ++c) rotation.push_back(float(dot < 0 ? -r.coeffs()[c] : r.coeffs()[c]));
  }
  /// Not there: where it was, without size.
  void vanish() {
    const std::size_t n = translation.size();
    if (n == 0) return add(Vec3::Zero(), Quat::Identity(), Vec3::Zero());
    add({translation[n - 3], translation[n - 2], translation[n - 1]}, last_turn(), Vec3::Zero());
  }
  Quat last_turn() const {
    const std::size_t n = rotation.size();
    return {double(rotation[n - 1]), double(rotation[n - 4]), double(rotation[n - 3]),
            double(rotation[n - 2])};
  }
};

Vec3 point_of(const PictureFrame& frame, int point) {
  const float* p = frame.points.data() + 3 * std::size_t(point);
  return {p[0], p[1], p[2]};
}

class GltfBuilder {
 public:
  GltfBuilder(const Recording& recording, const GltfOptions& options)
      : recording_(recording), options_(options) {}

  std::string build() {
    const Picture& picture = recording_.pictures().front();
    root_ = file_.add_node(options_.title.empty() ? "catena" : options_.title, -1, -1);
    const Quat up = rotation_between(picture.up, Vec3::UnitY());
    file_.set(root_, "rotation", {float(up.x()), float(up.y()), float(up.z()), float(up.w())});
    thin_ = 0.004 * picture.size;
    for (const Picture& each : recording_.pictures()) add_picture(each);
    follow_frames();
    std::vector<float> times;
    for (std::size_t k = 0; k < recording_.frames(); ++k)
      times.push_back(float(recording_.frame(k).time - recording_.frame(0).time));
    file_.set_times(times);
    for (const auto& [node, motion] : motions_) write_motion(node, motion);
    return file_.finish(options_.title, fmt::format("catena {}", kVersion));
  }

 private:
  struct Piece {  // of a line
    int node, from, to;
  };
  struct Section {
    std::vector<int> bodies;  // nodes
    std::vector<Piece> pieces;
  };

  int material(const char* name, const Vec3& colour, double opacity = 1.0) {
    const auto [it, is_new] = materials_.try_emplace(name, -1);
    if (is_new) it->second = file_.add_material(name, colour, opacity);
    return it->second;
  }

  template <class Make>
  int mesh(const std::string& key, int material, const Make& make) {
    const auto [it, is_new] = meshes_.try_emplace(key, -1);
    if (is_new) it->second = file_.add_mesh(key, make(), material);
    return it->second;
  }

  int body_mesh(const PictureBody& body);
  void add_picture(const Picture& picture);
  void add_pieces(const PictureTrack& track, Section& section);
  void add_figure(const PictureFigure& placed, const Picture& picture, const Section& section);
  void follow_frames();
  void write_motion(int node, const NodeMotion& motion) {
    file_.animate(node, "translation", motion.translation);
    file_.animate(node, "rotation", motion.rotation);
    const bool has_size =
        std::any_of(motion.scale.begin(), motion.scale.end(), [](float s) { return s != 1.0F; });
    if (has_size) file_.animate(node, "scale", motion.scale);
  }

  const Recording& recording_;
  const GltfOptions& options_;
  GltfFile file_;
  int root_ = -1;
  double thin_ = 0.0;  // radius of lines   m
  std::map<std::string, int> materials_, meshes_, nodes_of_bodies_;
  std::vector<Section> sections_;
  std::map<int, NodeMotion> motions_;  // by node
  std::size_t pieces_ = 0;
};

int GltfBuilder::body_mesh(const PictureBody& body) {
  const Vec3& size = body.shape.size;
  const auto key = [&](const char* kind) {
    return fmt::format("{} {:.6g} {:.6g} {:.6g}", kind, size.x(), size.y(), size.z());
  };
  if (body.wires) return -1;
  switch (body.shape.kind) {
    case Shape::Kind::rod: {
      const double radius = size.y() > 0 ? size.y() : std::min(thin_, 0.1 * size.x());
      return mesh(key("rod"), material("rod", kSteel), [&] { return io::make_rod(size.x(), radius); });
    }
    case Shape::Kind::sphere:
      return mesh(key("sphere"), material("sphere", kLoad),
                  [&] { return io::make_ellipsoid(Vec3::Constant(size.x())); });
    case Shape::Kind::box:
      return mesh(key("box"), material("box", kBox),
                  [&] { return io::make_box(size.cwiseMax(0.2 * thin_)); });
    case Shape::Kind::disc:
      return mesh(key("disc"), material("disc", kDisc), [&] {
        return size.y() < 0 ? io::make_hoop(size.x(), 0.06 * size.x())
                            : io::make_disc(size.x(), std::max(size.y(), 0.04 * size.x()));
      });
    case Shape::Kind::ellipsoid:
      return mesh(key("ellipsoid"), material("sphere", kLoad), [&] { return io::make_ellipsoid(size); });
    case Shape::Kind::point:
      break;
  }
  return mesh("point", material("point", kPoint),
              [&] { return io::make_ellipsoid(Vec3::Constant(2.5 * thin_)); });
}

void GltfBuilder::add_picture(const Picture& picture) {
  Section section;
  for (const PictureBody& body : picture.bodies) {
    const auto [it, is_new] = nodes_of_bodies_.try_emplace(body.name, -1);
    if (is_new) {
      it->second = file_.add_node(body.name, body_mesh(body), root_);
      motions_[it->second];
    }
    section.bodies.push_back(it->second);
  }
  for (const PictureTrack& track : picture.tracks)
    if (track.kind != "tube") add_pieces(track, section);  // a tube goes over rods that are there already
  if (sections_.empty())
    for (const PictureFigure& figure : picture.fixed) add_figure(figure, picture, section);
  sections_.push_back(std::move(section));
}

void GltfBuilder::add_pieces(const PictureTrack& track, Section& section) {
  const bool is_spring = track.kind == "spring";
  const double radius = track.radius > 0 ? track.radius : thin_;
  const Vec3& colour = is_spring              ? kSpring
                       : track.kind == "rope" ? kRope
                       : track.kind == "wire" ? kWire
                                              : kSteel;
  const int paint = material(is_spring              ? "spring"
                             : track.kind == "rope" ? "rope"
                             : track.kind == "wire" ? "wire"
                                                    : "rod",
                             colour);
  const int shape = is_spring ? mesh("coil", paint, [&] { return io::make_coil(3 * thin_, 8); })
                              : mesh(fmt::format("{} {:.4g}", track.kind, radius), paint,
                                     [&] { return io::make_cylinder(1.0, radius); });
  const std::size_t count = track.points.size();
  for (std::size_t k = 0; k + (track.closed ? 0 : 1) < count; ++k) {
    if (pieces_++ >= options_.max_tracks) return;
    const int node = file_.add_node(track.name, shape, root_);
    motions_[node];
    section.pieces.push_back({node, track.points[k], track.points[(k + 1) % count]});
  }
}

void GltfBuilder::add_figure(const PictureFigure& placed, const Picture& picture, const Section& section) {
  const Figure& figure = placed.figure;
  const int table = material("surface", kTable, 0.5);
  Mesh shape;
  Quat turn = Quat::Identity();
  Vec3 at = figure.centre;
  switch (figure.kind) {
    case Figure::Kind::plane:
      shape = io::make_box({1.5 * picture.size, 1.5 * picture.size, 0.5 * thin_});
      turn = rotation_between(Vec3::UnitZ(), figure.axis);
      at += (picture.centre - at) - figure.axis * figure.axis.dot(picture.centre - at);
      at -= 0.25 * thin_ * figure.axis;
      break;
    case Figure::Kind::sphere:
      shape = io::make_ellipsoid(Vec3::Constant(figure.size.x()));
      break;
    case Figure::Kind::ellipsoid:
      shape = io::make_ellipsoid(figure.size);
      turn = Quat(placed.axes);
      break;
    case Figure::Kind::cylinder:
    case Figure::Kind::drum: {
      const bool is_drum = figure.kind == Figure::Kind::drum;
      const double length = is_drum               ? 0.5 * figure.size.x()
                            : figure.size.y() > 0 ? figure.size.y()
                                                  : 1.5 * picture.size;
      shape = io::make_cylinder(length, figure.size.x());
      turn = rotation_between(Vec3::UnitX(), figure.axis);
      break;
    }
    case Figure::Kind::line:
      shape = io::make_cylinder(1.5 * picture.size, 0.7 * thin_);
      turn = rotation_between(Vec3::UnitX(), figure.axis);
      break;
    case Figure::Kind::curve:
      shape = io::make_tube(figure.points, figure.closed, 0.7 * thin_);
      at = Vec3::Zero();
      break;
  }
  if (shape.triangles.empty()) return;
  const bool is_line = figure.kind == Figure::Kind::line || figure.kind == Figure::Kind::curve;
  const int paint = is_line ? material("curve", kTable) : table;
  const bool moves = placed.body >= 0 && std::size_t(placed.body) < section.bodies.size();
  const int parent = moves ? section.bodies[std::size_t(placed.body)] : root_;
  const int node = file_.add_node(placed.name, file_.add_mesh(placed.name, shape, paint), parent);
  file_.set(node, "translation", {float(at.x()), float(at.y()), float(at.z())});
  file_.set(node, "rotation", {float(turn.x()), float(turn.y()), float(turn.z()), float(turn.w())});
}

void GltfBuilder::follow_frames() {
  for (std::size_t k = 0; k < recording_.frames(); ++k) {
    const PictureFrame& frame = recording_.frame(k);
    const Section& section = sections_[recording_.section_of(k)];
    for (std::size_t body = 0; body < section.bodies.size(); ++body) {
      const float* p = frame.poses.data() + 7 * body;
      motions_[section.bodies[body]].add({p[0], p[1], p[2]}, Quat(p[6], p[3], p[4], p[5]), Vec3::Ones());
    }
    for (const Piece& piece : section.pieces) {
      NodeMotion& motion = motions_[piece.node];
      const Vec3 a = point_of(frame, piece.from), b = point_of(frame, piece.to);
      const double length = (b - a).norm();
      // turned on from the last instant, so that it does not spin about itself
      const Quat before = motion.rotation.empty() ? Quat::Identity() : motion.last_turn();
      const Quat turn =
          length > 0 ? (rotation_between(before * Vec3::UnitX(), b - a) * before).normalized() : before;
      motion.add(0.5 * (a + b), turn, Vec3(length, 1, 1));
    }
    for (auto& [node, motion] : motions_)
      if (motion.translation.size() == 3 * k) motion.vanish();
  }
}

}  // namespace

std::string make_gltf(const Recording& recording, const GltfOptions& options) {
  return GltfBuilder(recording, options).build();
}

}  // namespace catena
