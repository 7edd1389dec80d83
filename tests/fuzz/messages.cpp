// Messages to the viewer, one per line, into a session without sockets and threads. The first byte chooses a scene.
#include "fuzz/target.h"
#include "view/session.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace catena::fuzz {
namespace {

using app::Json;

constexpr std::size_t kMostMessages = 24;

constexpr std::array kScenes{"title: New\ngravity: [0, -9.81, 0]\n", R"(
bodies:
  - {name: a, kind: planar, mass: 1, inertia: 0.1, position: [0, 0.5]}
  - {name: b, kind: planar, mass: 1, inertia: 0.1, position: [1, 1]}
joints:
  - {name: j1, kind: hinge, a: a, point: [0, 0]}
  - {name: j2, kind: hinge, a: b, b: a, point: [0, 1]}
forces: [{name: motor, kind: velocity-motor, joint: j1, command: 1, gain: 10}]
probes: [{name: x, quantity: position, body: b}]
)",
                             R"(
parameters: {mass: 2, kind: ball}
bodies: [{name: bob, kind: particle, mass: mass, position: [1, 0, 0]}, {name: beam, kind: rigid, mass: 1, from: [2, 0, 0], to: [3, 0, 0], shape: {kind: rod, radius: 0.05}}]
constraints: [{name: wire, kind: distance, a: bob, point_b: [0, 0, 0]}, {name: end, kind: $kind, a: beam, point: [2, 0, 0]}]
forces: [{name: coil, kind: spring, a: bob, b: beam, stiffness: 50, rest_length: 0.1}]
probes: [{name: height, quantity: position, body: bob, component: z}]
events: [{name: low, probe: height, falls_below: -1e-5, remove: [coil]}]
)"};

/// Everything that is said is JSON, and none of it says that something unforeseen happened.
class Listener : public app::Outlet {
 public:
  void send(app::ClientId, std::shared_ptr<const std::string> bytes, app::Urgency urgency) override {
    if (urgency == app::Urgency::frame) return;
    const Json message = Json::parse(*bytes, nullptr, false);
    if (!message.is_object() || !message.contains("type")) {
      broken = "a message that is no JSON object: " + *bytes;
    } else if (message["type"] == "problem") {
      ++problems;
      if (message["what"] == "internal") broken = "an error that nobody foresaw: " + *bytes;
      if (message["message"].get<std::string>().empty()) broken = "a problem without words: " + *bytes;
    }
  }
  int clients() const override { return 1; }
  int problems = 0;
  std::string broken;  // promise: the session must not be the one to catch it
};

app::Document document_of(std::size_t scene) {
  return app::document_from_text(kScenes[scene % kScenes.size()]);
}

}  // namespace

Answer try_messages(std::string_view bytes) {
  if (bytes.empty()) return Answer::refused;
  Listener listener;
  app::ViewSession session({"", document_of(std::uint8_t(bytes[0])), true, std::size_t(1) << 20}, listener);
  session.join(1);
  session.turn();
  std::string_view rest = bytes.substr(1);
  const Budget budget;
  for (std::size_t count = 0; count < kMostMessages && !rest.empty(); ++count) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    (void)session.post(1, std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    try {
      session.turn();
    } catch (const Interrupted&) {
      return Answer::interrupted;
    }
    promise(listener.broken.empty(), listener.broken);
    promise_finite(session.simulation());
  }
  session.leave(1);
  return listener.problems > 0 ? Answer::refused : Answer::ok;
}

std::vector<std::string> message_seeds() {
  return {
      "\x01{\"type\":\"play\"}\n{\"type\":\"pause\"}\n{\"type\":\"step\",\"count\":3}\n{\"type\":\"seek\","
      "\"time\":0.001}\n"
      "{\"type\":\"branch\"}\n{\"type\":\"speed\",\"value\":2}\n{\"type\":\"reset\",\"id\":4}",
      "\x01{\"type\":\"grab\",\"body\":1,\"local\":[0,0,0],\"target\":[1,1,0]}\n{\"type\":\"drag\","
      "\"target\":[1.2,1,0]}\n"
      "{\"type\":\"play\"}\n{\"type\":\"drag\",\"target\":[9,9,0]}\n{\"type\":\"release\"}",
      "\x01{\"type\":\"strike\",\"body\":1,\"local\":[0.1,0,0],\"impulse\":[0,2,0]}\n{\"type\":\"step\"}\n"
      "{\"type\":\"strike\",\"body\":0,\"local\":[0,0.5,0],\"target\":[1,1,0]}\n{\"type\":\"seek\",\"time\":"
      "0}",
      "\x02{\"type\":\"kinematic\",\"on\":true}\n{\"type\":\"grab\",\"body\":0,\"local\":[0,0,0],\"target\":["
      "1,0,0]}\n"
      "{\"type\":\"drag\",\"target\":[0,0,1]}\n{\"type\":\"step\"}\n{\"type\":\"kinematic\",\"on\":false}",
      "\x02{\"type\":\"switch\",\"force\":\"coil\",\"on\":false}\n{\"type\":\"step\"}\n{\"type\":\"switch\","
      "\"force\":\"coil\",\"on\":true}\n"
      "{\"type\":\"arrows\",\"on\":true}\n{\"type\":\"command\",\"force\":\"coil\",\"values\":[1]}",
      "\x01{\"type\":\"command\",\"force\":\"motor\",\"values\":[2]}\n{\"type\":\"targets\",\"poses\":{"
      "\"b\":[1,2,0,0,0,0,1]}}\n"
      "{\"type\":\"step\",\"count\":2}\n{\"type\":\"targets\",\"poses\":{\"b\":null}}",
      "\x02{\"type\":\"parameter\",\"name\":\"mass\",\"value\":3}\n{\"type\":\"undo\"}\n{\"type\":\"redo\"}"
      "\n{\"type\":\"save\"}",
      "\x01{\"type\":\"load\",\"text\":\"bodies: [{name: p, kind: particle, mass: "
      "1}]\"}\n{\"type\":\"step\"}\n{\"type\":\"undo\"}",
      "\x01{\"type\":\"example\",\"name\":\"pendulum-a01\"}\n{\"type\":\"step\"}",
      std::string(1, '\0') +
          "{\"type\":\"edit\",\"edits\":[{\"op\":\"add-body\",\"kind\":\"rod\",\"name\":\"r\",\"planar\":"
          "true,\"from\":[0,0,0],\"to\":[1,0,0]},"
          "{\"op\":\"connect\",\"kind\":\"hinge\",\"name\":\"h\",\"a\":{\"body\":\"r\",\"point\":[-0.5,0,0]},"
          "\"b\":{\"body\":\"world\",\"point\":[0,0,0]}}]}\n"
          "{\"type\":\"step\",\"count\":5}\n{\"type\":\"edit\",\"op\":\"set\",\"name\":\"r\",\"key\":"
          "\"length\",\"value\":2}\n{\"type\":\"undo\"}\n"
          "{\"type\":\"edit\",\"op\":\"delete\",\"names\":[\"r\"]}",
      std::string(1, '\0') +
          "{\"type\":\"edit\",\"op\":\"add-body\",\"kind\":\"box\",\"name\":\"k\",\"position\":[0,0,0],"
          "\"size\":[1,1,1],\"along\":[1,0,0]}\n"
          "{\"type\":\"edit\",\"op\":\"connect\",\"kind\":\"motor\",\"name\":\"m\",\"a\":{\"body\":\"k\","
          "\"point\":[0,0,0]},\"b\":{\"body\":\"world\",\"point\":[0,0,0]},\"axis\":[0,0,1],\"speed\":2}\n"
          "{\"type\":\"edit\",\"op\":\"connect\",\"kind\":\"spring\",\"a\":{\"body\":\"k\",\"point\":[0.5,0,"
          "0]},\"b\":{\"body\":\"world\",\"point\":[2,0,0]},\"stiffness\":10}\n"
          "{\"type\":\"step\",\"count\":2}\n{\"type\":\"edit\",\"op\":\"set\",\"name\":\"\",\"key\":"
          "\"gravity\",\"value\":[0,0,-1]}",
  };
}

std::vector<std::string> message_words() {
  return {"\"type\":",    "\"edit\"",
          "\"op\":",      "\"add-body\"",
          "\"connect\"",  "\"delete\"",
          "\"set\"",      "\"name\":",
          "\"key\":",     "\"value\":",
          "\"a\":",       "\"b\":",
          "\"body\":",    "\"point\":",
          "\"world\"",    "\"curve\":",
          "\"hinge\"",    "\"slider\"",
          "\"weld\"",     "\"nail\"",
          "\"motor\"",    "\"rod\"",
          "\"disc\"",     "\"grab\"",
          "\"drag\"",     "\"strike\"",
          "\"impulse\":", "\"local\":",
          "\"target\":",  "\"targets\"",
          "\"poses\":",   "\"kinematic\"",
          "\"seek\"",     "\"branch\"",
          "\"undo\"",     "\"redo\"",
          "\"reset\"",    "\"play\"",
          "\"step\"",     "null",
          "true",         "[]",
          "{}",           "[0,0,0]",
          "1e308",        "-1",
          "\"\"",         "\"id\":",
          "\n",           ",",
          "\"j1\"",       "\"a\"",
          "\"b\"",        "\"r\"",
          "\"mass\"",     "\"length\"",
          "\"kind\":",    "\"planar\":true",
          "\"options\"",  "\"joint\""};
}

}  // namespace catena::fuzz
