// Where two smooth surfaces touch, and how that place moves.
//
// Legend: n unit normal from b to a, s_a and s_b the nearest points, r = s - x levers from the markers, u = v + ω × r velocity of
// the material there, H = ∂s/∂n of a support, φ gap = n·(s_a - s_b), P projection normal to n.
#pragma once

#include "catena/joints.h"

namespace catena {

struct Contact {
  double gap;     // φ; 0 when they touch
  Vec3 n, n_dot;  // unit normal, from b to a
  Vec3 r_a,
      r_a_dot;  // lever of the contact point on a, and its rate: the material turns and the contact wanders over it
  Vec3 r_b, r_b_dot;
  Vec3 slip;  // u_a - u_b: velocity of the material of a over that of b
};

/// A pair that can touch. Its memory is the normal, world axes: the search begins there.
class ContactGeometry {
 public:
  virtual ~ContactGeometry() = default;
  virtual Vec3 start_normal(const Marker& a, const Marker& b) const = 0;
  virtual Contact find(const Marker& a, const Marker& b, const Vec3& normal_before) const = 0;
  virtual std::vector<Figure> figures() const { return {}; }  // of b, in the coordinates of its marker
  virtual std::vector<std::string> validate() const = 0;
};

/// shape_b may be empty: then b is the plane normal to z of its marker.
std::shared_ptr<const ContactGeometry> convex_contact(ConvexShapePtr shape_a, ConvexShapePtr shape_b);
std::shared_ptr<const ContactGeometry> surface_contact(ConvexShapePtr shape, SurfacePtr surface);

/// The gap as the first row and, where asked for, the slips along two tangents (in the plane one) after it: rows for an inequality.
/// @param needs_orientation  false: a sphere or a point, which particles carry too
ConstraintPtr touching(const Attachment& a, const Attachment& b,
                       std::shared_ptr<const ContactGeometry> geometry, bool has_slip,
                       bool needs_orientation);

}  // namespace catena
