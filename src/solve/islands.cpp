#include "solve/islands.h"

namespace catena::solve {

void Islands::find(const Graph& g) {
  sets_.reset(g.num_bodies());
  for (const Edge& e : g.edges)
    sets_.join(g.edges[std::size_t(g.edge_begin[std::size_t(e.constraint)])].body, e.body);
  for (const Link& link : g.links) sets_.join(link.a, link.b);
  int count = 0;
  of_body_.resize(g.dims.size());
  for (int b = 0; b < g.num_bodies(); ++b) {  // the first body of a set is its root
    const int root = sets_.find(b);
    of_body_[std::size_t(b)] = root == b ? count++ : of_body_[std::size_t(root)];
  }
  of_constraint_.resize(g.rows.size());
  for (int c = 0; c < g.num_constraints(); ++c)
    of_constraint_[std::size_t(c)] = of_body(g.edges[std::size_t(g.edge_begin[std::size_t(c)])].body);
  bodies_.build(count, [&](auto add) {
    for (int b = 0; b < g.num_bodies(); ++b) add(of_body(b), b);
  });
  constraints_.build(count, [&](auto add) {
    for (int c = 0; c < g.num_constraints(); ++c) add(of_constraint(c), c);
  });
  links_.build(count, [&](auto add) {
    for (std::size_t l = 0; l < g.links.size(); ++l) add(of_body(g.links[l].a), int(l));
  });
}

}  // namespace catena::solve
