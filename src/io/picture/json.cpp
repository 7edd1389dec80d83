// Pictures as JSON: the `picture` object of docs/viewer.md.
#include "catena/output.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

Json json_of(const Mat3& m) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) rows.push_back(m(i, j));
  return rows;
}

Json json_of(const PictureEnd& end, bool with_axes) {
  Json out{{"body", end.body}, {"point", json_of(end.point)}};
  if (with_axes) out["axes"] = json_of(end.axes);
  return out;
}

/// Kind and full dimensions, so that a page need not know which of the three numbers a kind leaves out.
Json shape_json(const PictureBody& body) {
  const Vec3& size = body.shape.size;
  const auto make = [](const char* kind, const Vec3& full) {
    return Json{{"kind", kind}, {"size", json_of(full)}};
  };
  if (body.wires) return make("mesh-less", size);
  switch (body.shape.kind) {
    case Shape::Kind::rod:
      return make("rod", {size.x(), size.y(), size.y()});
    case Shape::Kind::sphere:
      return make("sphere", Vec3::Constant(size.x()));
    case Shape::Kind::box:
      return make("box", size);
    case Shape::Kind::disc:
      // a thickness below 0 marks a hoop
      return make(size.y() < 0.0 ? "hoop" : "disc", {size.x(), size.x(), std::max(size.y(), 0.0)});
    case Shape::Kind::ellipsoid:
      return make("ellipsoid", size);
    case Shape::Kind::point:
      break;
  }
  return make("point", Vec3::Constant(size.x()));
}

Json json_of(const PictureBody& body) {
  return {{"name", body.name},         {"kind", body.kind},
          {"mass", body.mass},         {"velocities", body.velocities},
          {"shape", shape_json(body)}, {"planar", body.planar},
          {"chain", body.chain},       {"source", body.generated ? "generated" : "explicit"}};
}

Json json_of(const PictureJoint& joint) {
  Json out{{"name", joint.name},          {"kind", joint.kind},
           {"rows", joint.rows},          {"a", json_of(joint.a, true)},
           {"b", json_of(joint.b, true)}, {"grounded", joint.grounded},
           {"driven", joint.driven},      {"redundant_rows", joint.redundant_rows},
           {"glyph", joint.glyph}};
  if (joint.in_conflict) out["conflict"] = true;
  if (!joint.note.empty()) out["note"] = joint.note;
  return out;
}

Json json_of(const PictureForce& force) {
  Json ends = Json::array();
  for (const PictureEnd& end : force.ends) ends.push_back(json_of(end, true));
  return {{"name", force.name},    {"kind", force.kind}, {"ends", std::move(ends)},
          {"glyph", force.glyph},  {"on", force.on},     {"commands", force.commands},
          {"values", force.values}};
}

Json json_of(const PictureTrack& track) {
  return {{"of", track.of},         {"name", track.name},     {"kind", track.kind},
          {"closed", track.closed}, {"radius", track.radius}, {"points", track.points}};
}

Json json_of(const PictureFigure& placed, const Picture& picture) {
  const Figure& figure = placed.figure;
  Json out{{"name", placed.name}, {"body", placed.body}};
  const auto round = [&](const char* kind) {
    out["kind"] = kind;
    out["point"] = json_of(figure.centre);
  };
  switch (figure.kind) {
    case Figure::Kind::line: {
      // endless lines are drawn a little longer than the model is large
      const Vec3 middle = figure.centre + figure.axis * figure.axis.dot(picture.centre - figure.centre);
      const Vec3 half = 0.75 * picture.size * figure.axis;
      out["kind"] = "curve";
      out["closed"] = false;
      out["points"] = Json::array({json_of(Vec3(middle - half)), json_of(Vec3(middle + half))});
      break;
    }
    case Figure::Kind::curve:
      out["kind"] = "curve";
      out["closed"] = figure.closed;
      out["points"] = Json::array();
      for (const Vec3& p : figure.points) out["points"].push_back(json_of(p));
      break;
    case Figure::Kind::plane:
      round("plane");
      out["normal"] = json_of(figure.axis);
      break;
    case Figure::Kind::sphere:
      round("sphere");
      out["radius"] = figure.size.x();
      break;
    case Figure::Kind::cylinder:
    case Figure::Kind::drum:
      round("cylinder");
      out["axis"] = json_of(figure.axis);
      out["radius"] = figure.size.x();
      out["length"] = figure.kind == Figure::Kind::drum ? 0.5 * figure.size.x()
                      : figure.size.y() > 0.0           ? figure.size.y()
                                                        : 1.5 * picture.size;
      break;
    case Figure::Kind::ellipsoid:
      round("ellipsoid");
      out["size"] = json_of(figure.size);
      out["axes"] = json_of(placed.axes);
      break;
  }
  return out;
}

template <class List, class Convert>
Json list_of(const List& list, Convert convert) {
  Json out = Json::array();
  for (const auto& item : list) out.push_back(convert(item));
  return out;
}

}  // namespace

std::string picture_json(const Picture& picture) {
  const auto plain = [](const auto& item) { return json_of(item); };
  const Json out{
      {"up", json_of(picture.up)},
      {"gravity", json_of(picture.gravity)},
      {"centre", json_of(picture.centre)},
      {"size", picture.size},
      {"bodies", list_of(picture.bodies, plain)},
      {"joints", list_of(picture.joints, plain)},
      {"forces", list_of(picture.forces, plain)},
      {"tracks", list_of(picture.tracks, plain)},
      {"fixed", list_of(picture.fixed, [&](const PictureFigure& f) { return json_of(f, picture); })},
      {"points", picture.points.size()}};
  // names may come from anywhere: bytes that are no UTF-8 become question marks
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace catena
