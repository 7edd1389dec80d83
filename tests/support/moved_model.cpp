#include "support/moved_model.h"

#include "support/moved_objects.h"

#include <numeric>
#include <random>

namespace catena::test {
namespace {

std::vector<int> in_order(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Positions in the old model by positions in the new one.
std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[std::size_t(order[i])] = int(i);
  return out;
}

}  // namespace

Order same_order(const Model& model) {
  return {in_order(model.bodies().size()), in_order(model.constraints().size()),
          in_order(model.forces().size())};
}

Order shuffled(const Model& model, unsigned seed) {
  Order order = same_order(model);
  std::mt19937 random(seed);
  for (std::vector<int>* part : {&order.bodies, &order.constraints, &order.forces})
    std::shuffle(part->begin(), part->end(), random);
  return order;
}

Model moved(const Model& model, const Change& change, const Order& order, const std::string& prefix) {
  Model out;
  out.gravity = change.P * model.gravity;
  const auto passage = std::make_shared<Passage>();
  passage->change = change;
  for (const int i : inverse(order.bodies)) {
    const BodyEntry& entry = model.bodies()[std::size_t(i)];
    const MovedBody body = move_body(entry, change);
    passage->bodies[entry.id.value] = out.add_at(prefix + entry.name, body.body, body.q, body.v, entry.shape);
  }
  for (const int i : inverse(order.constraints)) {
    const ConstraintEntry& entry = model.constraints()[std::size_t(i)];
    out.add(prefix + entry.name, move_constraint(entry.constraint, passage));
  }
  for (const int i : inverse(order.forces)) {
    const ForceEntry& entry = model.forces()[std::size_t(i)];
    out.add(prefix + entry.name, move_force(entry, passage));
  }
  for (const InequalityEntry& entry : model.inequalities()) {
    const Inequality& own = *entry.inequality;
    out.add(prefix + entry.name,
            std::make_shared<Inequality>(own.kind(), move_constraint(own.shared_rows(), passage),
                                         std::vector<RowLaw>(own.laws().begin(), own.laws().end())));
  }
  return out;
}

Model renamed(const Model& model, const std::string& prefix) {
  Model out;
  out.gravity = model.gravity;
  for (const BodyEntry& entry : model.bodies()) {
    const BodyId id = out.add_at(prefix + entry.name, entry.body, entry.q, entry.v, entry.shape);
    if (id != entry.id) throw std::logic_error("renamed: something was removed from the model before");
  }
  for (const ConstraintEntry& entry : model.constraints()) out.add(prefix + entry.name, entry.constraint);
  for (const ForceEntry& entry : model.forces()) out.add(prefix + entry.name, entry.force);
  for (const InequalityEntry& entry : model.inequalities()) out.add(prefix + entry.name, entry.inequality);
  return out;
}

}  // namespace catena::test
