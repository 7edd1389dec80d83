// The tree and the conversation.
#include "tree.h"

#include <nlohmann/json.hpp>

#include <ctime>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace peers {
namespace {

using Json = nlohmann::json;

Vector vector_of(const Json& list) {
  return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>()};
}

Quaternion quaternion_of(const Json& list) {  // w, x, y, z
  return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>(),
          list.at(3).get<double>()};
}

JointKind kind_of(const std::string& name) {
  if (name == "hinge") return JointKind::hinge;
  if (name == "ball") return JointKind::ball;
  if (name == "universal") return JointKind::universal;
  if (name == "free") return JointKind::free;
  throw std::runtime_error("unknown joint '" + name + "'");
}

Link link_of(const Json& json) {
  Link link;
  link.parent = json.at("parent");
  link.joint = kind_of(json.at("joint"));
  link.offset = vector_of(json.at("offset"));
  link.centre = vector_of(json.at("centre"));
  link.mass = json.at("mass");
  for (int i = 0; i < 9; ++i) link.inertia(i / 3, i % 3) = json.at("inertia").at(std::size_t(i));
  const bool turns = link.joint == JointKind::hinge || link.joint == JointKind::universal;
  if (turns) {
    link.axis = vector_of(json.at("axis"));
    link.angle[0] = json.at("angles").at(0);
    link.rate[0] = json.at("rates").at(0);
  } else {
    link.turn = quaternion_of(json.at("turn"));
    link.spin = vector_of(json.at("spin"));
  }
  if (link.joint == JointKind::universal) {
    link.second = vector_of(json.at("second"));
    link.angle[1] = json.at("angles").at(1);
    link.rate[1] = json.at("rates").at(1);
  }
  if (link.joint == JointKind::free) {
    link.place = vector_of(json.at("place"));
    link.speed = vector_of(json.at("speed"));
  }
  return link;
}

Tree tree_of(const Json& json) {
  Tree tree{.gravity = vector_of(json.at("gravity")), .dt = json.at("dt"), .links = {}};
  for (const Json& link : json.at("links")) tree.links.push_back(link_of(link));
  return tree;
}

/// Processor time of this program: what the clock would show if no other program ran.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class Work>
Json timed(TreeEngine& engine, long count, Work work) {
  engine.restart();
  work();  // what comes after a change of the state is not counted
  const double begin = processor_seconds();
  for (long k = 0; k < count; ++k) work();
  return {{"seconds", processor_seconds() - begin}};
}

Json answer(const About& about, TreeEngine& engine, const std::string& request) {
  std::istringstream words(request);
  std::string what;
  long count = 1;
  words >> what >> count;
  if (what == "about")
    return {{"engine", about.engine},
            {"version", about.version},
            {"step", about.step},
            {"forward", about.forward},
            {"same_steps", engine.has_same_steps()}};
  if (what == "step") return timed(engine, count, [&] { engine.step(); });
  if (what == "forward") return timed(engine, count, [&] { engine.forward(); });
  engine.restart();
  if (what == "accelerations") return engine.accelerations();
  if (what != "state") throw std::runtime_error("unknown request '" + request + "'");
  for (long k = 0; k < count; ++k) engine.step();
  return engine.state();
}

}  // namespace

Tree in_axes(const Tree& tree, const std::vector<Matrix>& A) {
  Tree out = tree;
  for (std::size_t i = 0; i < out.links.size(); ++i) {
    Link& link = out.links[i];
    const Matrix to = A[i].transpose();
    const Matrix parent = link.parent < 0 ? Matrix(Matrix::Identity()) : A[std::size_t(link.parent)];
    link.zero = parent.transpose() * link.zero * A[i];
    link.offset = parent.transpose() * link.offset;
    for (Vector* v : {&link.axis, &link.second, &link.centre, &link.spin}) *v = to * *v;
    link.inertia = to * link.inertia * A[i];
    link.turn = Quaternion(Matrix(to * link.turn.toRotationMatrix() * A[i]));
  }
  return out;
}

std::vector<Matrix> axes_along_hinges(const Tree& tree) {
  std::vector<Matrix> A;
  for (const Link& link : tree.links)
    A.push_back(link.joint == JointKind::hinge
                    ? Quaternion::FromTwoVectors(Vector::UnitZ(), link.axis).toRotationMatrix()
                    : Matrix(Matrix::Identity()));
  return A;
}

void append(std::vector<double>& out, const Vector& v) {
  out.insert(out.end(), {v[0], v[1], v[2]});
}

int serve(const About& about, const std::function<std::unique_ptr<TreeEngine>(const Tree&)>& build) {
  std::string line;
  if (!std::getline(std::cin, line)) return 2;
  try {
    const auto engine = build(tree_of(Json::parse(line)));
    while (std::getline(std::cin, line)) std::cout << answer(about, *engine, line).dump() << std::endl;
    return 0;
  } catch (const std::exception& problem) {
    std::cout << Json{{"engine", about.engine}, {"error", problem.what()}}.dump() << std::endl;
    return 1;
  }
}

}  // namespace peers
