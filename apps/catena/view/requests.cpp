// What pages ask for, one function per group of requests.
#include "view/assets.h"
#include "view/edit.h"
#include "view/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace catena::app {
namespace {

bool is_drag(const std::string& text) {
  return is_of_type(text, "drag");
}

/// The number of a body; what is no such number is none that a body has.
int body_at(const Json& message) {
  return int(std::clamp(number_at(message, "body"), -1.0, 1e9));
}

/// [x, y, z] or [x, y, z, qx, qy, qz, qw].
Placement pose_of(const std::string& body, const Json& numbers) {
  const bool fits = numbers.is_array() && (numbers.size() == 3 || numbers.size() == 7) &&
                    std::all_of(numbers.begin(), numbers.end(), [](const Json& n) { return n.is_number(); });
  if (!fits)
    refuse("targets", fmt::format("the pose of '{}' is not readable", body),
           "give [x, y, z] or [x, y, z, qx, qy, qz, qw]");
  Placement pose;
  for (int i = 0; i < 3; ++i) pose.position[i] = numbers[std::size_t(i)].get<double>();
  if (numbers.size() == 7) {
    pose.orientation.coeffs() << numbers[3].get<double>(), numbers[4].get<double>(), numbers[5].get<double>(),
        numbers[6].get<double>();
    if (!(pose.orientation.norm() > 1e-6))
      refuse("targets", fmt::format("the quaternion of '{}' is zero", body), "give a turn");
  }
  return pose;
}

}  // namespace

void ViewSession::handle_waiting() {
  std::deque<Request> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(requests_);
    request_bytes_ = 0;
    has_requests_ = false;
    interrupting_ = false;
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    // of several drags in a row only the last counts
    if (i + 1 < waiting.size() && is_drag(waiting[i].text) && is_drag(waiting[i + 1].text) &&
        waiting[i].client == waiting[i + 1].client)
      continue;
    handle(waiting[i]);
  }
}

void ViewSession::handle(const Request& request) {
  if (request.has_left) {
    // a page that is closed lets go
    if (hand_owner_ != request.client) return;
    hand_owner_ = kEverybody;
    player_.release();
    has_changed_ = true;
    return;
  }
  if (request.text.empty()) {
    const InterruptScope whole(nullptr);  // who joins must hear of everything, and nobody asks for it again
    if (!player_.picture().bodies.empty() && std::exchange(wants_play_, false)) player_.play();
    send_structure(request.client);
    std::vector<std::vector<double>> rows(samples_.kept().begin(), samples_.kept().end());
    if (!rows.empty()) send(request.client, samples_message(player_.revision(), samples_.columns(), rows));
    send_frame(request.client);
    send(request.client, status_message(player_, arrows_));
    return;
  }
  const auto message = parse_message(request.text);
  if (!message)
    return send(request.client, problem_message("message", "the message is not a JSON object"),
                Urgency::droppable);
  const auto id = message->find("id");
  std::string what = text_at(*message, "type", "") == "edit" ? "edit" : "message";
  serve(request.client);
  const std::string problem = perform_or_explain(request.client, *message, what);
  serve(kEverybody);
  dirty_ = true;
  // a hand moves more often than anybody reads a status
  has_changed_ = has_changed_ || text_at(*message, "type", "") != "drag";
  if (!problem.empty()) send(request.client, problem_message(what, problem), Urgency::droppable);
  if (id != message->end() && (id->is_number() || id->is_string()))
    send(request.client, reply_message(*id, problem.empty(), problem));
}

/// Why it was not done, empty when it was.
std::string ViewSession::perform_or_explain(ClientId client, const Json& message, std::string& what) {
  const double time = player_.sim().time();
  const bool was_held = player_.hand().has_value();
  try {
    perform(client, message);
    return {};
  } catch (const Interrupted&) {
    if (player_.sim().time() != time)
      return fmt::format("interrupted at t = {:.6g} s; the steps before were taken", player_.sim().time());
    if (text_at(message, "type", "") == "targets") return "interrupted; send the targets again";
    if (was_held && !player_.hand())
      return "interrupted; everything is where it was, and the hand has let go";
    return "interrupted; everything is as it was before";
  } catch (const InvalidInput& refusal) {
    return refusal.what();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory for that";
  } catch (const std::exception& error) {
    what = "internal";
    return error.what();
  }
}

void ViewSession::perform(ClientId client, const Json& message) {
  const std::string type = text_at(message, "type");
  if (perform_time(type, message) || perform_hand(client, type, message) ||
      perform_structure(client, type, message))
    return;
  refuse("type", fmt::format("there is no request '{}'", type.substr(0, 40)), "docs/viewer.md lists them");
}

bool ViewSession::perform_time(const std::string& type, const Json& message) {
  if (type == "play") return player_.play(), true;
  if (type == "pause") return wants_play_ = false, player_.pause(), true;
  if (type == "step")
    return player_.step(int(std::clamp(number_at(message, "count", 1.0), 1.0, 1000.0))), true;
  if (type == "speed") return player_.set_speed(number_at(message, "value")), true;
  if (type == "reset") return player_.reset(), true;
  if (type == "seek") return player_.seek(number_at(message, "time")), true;
  if (type == "branch") return player_.branch(), true;
  return false;
}

bool ViewSession::perform_hand(ClientId client, const std::string& type, const Json& message) {
  if (type == "grab") {
    player_.grab(body_at(message), vector_at(message, "local"), vector_at(message, "target"));
    hand_owner_ = client;
  } else if (type == "drag") {
    player_.drag(vector_at(message, "target"));
  } else if (type == "release") {
    player_.release();
  } else if (type == "strike") {
    const int body = body_at(message);
    if (message.contains("impulse"))
      player_.strike(body, vector_at(message, "local"), vector_at(message, "impulse"));
    else
      player_.strike_towards(body, vector_at(message, "local"), vector_at(message, "target"));
  } else if (type == "kinematic") {
    player_.set_kinematic(flag_at(message, "on"));
  } else if (type == "switch") {
    player_.switch_force(text_at(message, "force"), flag_at(message, "on"));
    send_structure(kEverybody);
  } else if (type == "command") {
    const auto values = message.find("values");
    if (values == message.end() || !values->is_array() || values->size() > 16)
      refuse("command", "a list of numbers is expected", "add \"values\": [0]");
    std::vector<double> numbers;
    for (const Json& value : *values) numbers.push_back(value.is_number() ? value.get<double>() : NAN);
    player_.command(text_at(message, "force"), numbers);
  } else if (type == "arrows") {
    arrows_ = flag_at(message, "on");
  } else if (type == "targets") {
    const auto poses = message.find("poses");
    if (poses == message.end() || !poses->is_object())
      refuse("targets", "poses are expected", "add \"poses\": {\"body\": [x, y, z, qx, qy, qz, qw]}");
    set_targets(*poses);
  } else {
    return false;
  }
  return true;
}

bool ViewSession::perform_structure(ClientId client, const std::string& type, const Json& message) {
  if (type == "edit") {
    edit(message);
  } else if (type == "undo" || type == "redo") {
    go_back(type == "undo");
  } else if (type == "load") {
    open(document_from_text(text_at(message, "text")), "");
  } else if (type == "example") {
    const Asset* example = find_asset(example_scenes(), text_at(message, "name"));
    if (example == nullptr) refuse("example", "there is no such example", "take the name from the structure");
    open(document_from_text(std::string(example->bytes)), fmt::format("examples/{}.yaml", example->path));
  } else if (type == "parameter") {
    const auto value = message.find("value");
    if (value == message.end() || !(value->is_number() || value->is_string()))
      refuse("parameter", "a value is expected", "add \"value\": 1");
    Document next = document_;
    next.set[text_at(message, "name")] = value->is_string() ? value->get<std::string>() : value->dump();
    open(std::move(next), file_);
  } else if (type == "save") {
    Json scene = document_.scene;
    for (const auto& [name, value] : document_.set) {
      Json& given = scene["parameters"][name];
      (given.is_object() ? given["value"] : given) = value;
    }
    write_placements(scene, player_.scene(), player_.sim());
    send(client, saved_message(yaml_of(scene)));
  } else {
    return false;
  }
  return true;
}

void ViewSession::edit(const Json& message) {
  Editor editor(document_.scene, player_.scene(), player_.sim());
  if (const auto edits = message.find("edits"); edits != message.end() && edits->is_array()) {
    for (const Json& one : *edits) editor.apply(one);
  } else {
    editor.apply(message);
  }
  Document next{editor.scene(), document_.set};
  player_.change(read_scene(next, "scene"), editor.shifts());
  history_.note(std::exchange(document_, std::move(next)), true);
}

void ViewSession::open(Document document, std::string file) {
  const bool was_playing = player_.is_playing();
  player_.replace(read_scene(document, file.empty() ? "scene" : file));
  // begun without a scene, the first one that is opened plays
  if (std::exchange(wants_play_, false) || was_playing) player_.play();
  history_.note(std::exchange(document_, std::move(document)), false);
  file_ = std::move(file);
}

void ViewSession::go_back(bool undo) {
  if (!(undo ? history_.can_undo() : history_.can_redo()))
    refuse(undo ? "undo" : "redo", "there is nothing left", "everything is as it was");
  const History::Version version = undo ? history_.undo_version() : history_.redo_version();
  Scene scene = read_scene(version.document, "scene");
  const bool was_playing = player_.is_playing();
  bool done = false;
  if (version.keeps_motion) {
    try {
      player_.change(scene);
      done = true;
    } catch (const InvalidInput&) {  // the motion led where the old structure cannot be: then from its start
    }
  }
  if (!done) {
    player_.replace(std::move(scene));
    if (was_playing) player_.play();
  }
  const Document present = std::exchange(document_, version.document);
  if (undo)
    history_.undone(present);
  else
    history_.redone(present);
}

void ViewSession::set_targets(const Json& poses) {
  for (const auto& [body, numbers] : poses.items()) {
    if (numbers.is_null())
      player_.set_target(body, std::nullopt);
    else
      player_.set_target(body, pose_of(body, numbers));
  }
}

}  // namespace catena::app
