// Chromium through --remote-debugging-pipe: JSON messages, each ended by a zero byte.
// Source: Chrome DevTools Protocol, domains Target, Page, Runtime, Emulation.
#include "run/browser.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace catena::app {
namespace {

using Message = nlohmann::json;
constexpr auto kAnswerTime = std::chrono::milliseconds(60000);

std::string decode_base64(const std::string& text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = c - 'A';
    else if (c >= 'a' && c <= 'z')
      digit = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      digit = c - '0' + 52;
    else if (c == '+' || c == '/')
      digit = c == '+' ? 62 : 63;
    else
      break;  // padding
    bits = bits << 6 | std::uint32_t(digit);
    if ((count += 6) >= 8) out += char(bits >> (count -= 8) & 0xFF);
  }
  return out;
}

std::filesystem::path make_profile() {
  std::string name = (std::filesystem::temp_directory_path() / "catena-browser-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(fmt::format(
        "cannot make a folder like '{}' for the browser; set TMPDIR to one that can be written", name));
  return name;
}

}  // namespace

std::string Browser::find() {
  std::vector<std::string> names{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                                 "chrome"};
  if (const char* chosen = std::getenv("CATENA_BROWSER"); chosen != nullptr && *chosen != '\0')
    names.insert(names.begin(), chosen);
  return find_program(names);
}

Browser::Browser(const std::string& program, int width, int height)
    : profile_(make_profile()), width_(width), height_(height) {
  std::vector<std::string> command{program,
                                   "--headless",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + profile_.string(),
                                   fmt::format("--window-size={},{}", width, height),
                                   "--hide-scrollbars",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--no-first-run",
                                   "--disable-quic",
                                   "--disable-sync",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--force-color-profile=srgb"};
  if (geteuid() == 0)
    command.emplace_back("--no-sandbox");  // Chromium refuses to be root inside of its sandbox
  command.emplace_back("about:blank");
  process_ = std::make_unique<ChildProcess>(command, ChildProcess::Talk::through_3_and_4);
}

Browser::~Browser() {
  process_->write(Message{{"id", ++calls_}, {"method", "Browser.close"}}.dump() + '\0');
  process_->finish(std::chrono::milliseconds(3000));
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

Message Browser::call(const std::string& method, const Message& parameters) {
  const int id = ++calls_;
  Message message{{"id", id}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  if (!process_->write(message.dump() + '\0')) throw std::runtime_error("the browser has ended unexpectedly");
  while (true) {
    const std::size_t end = received_.find('\0');
    if (end == std::string::npos) {
      if (!process_->read(received_, kAnswerTime))
        throw std::runtime_error(fmt::format("the browser has ended or does not answer to '{}'", method));
      continue;
    }
    const Message answer = Message::parse(received_.substr(0, end), nullptr, false);
    received_.erase(0, end + 1);
    if (!answer.is_object() || answer.value("id", 0) != id) continue;  // an event
    if (answer.contains("error"))
      throw std::runtime_error(fmt::format("the browser refuses '{}': {}", method, answer["error"].dump()));
    return answer.value("result", Message::object());
  }
}

void Browser::open(const std::string& url) {
  const std::string target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width_}, {"height", height_}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Page.navigate", {{"url", url}});
}

Message Browser::evaluate(const std::string& expression) {
  const Message result =
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (result.contains("exceptionDetails")) {
    const Message& details = result["exceptionDetails"];
    throw std::runtime_error("the page says: " +
                             (details.contains("exception")
                                  ? details["exception"].value("description", details.dump())
                                  : details.dump()));
  }
  return result["result"].value("value", Message());
}

std::string Browser::screenshot(const std::string& format) {
  Message parameters{{"format", format}};
  if (format == "jpeg") parameters["quality"] = 95;
  return decode_base64(call("Page.captureScreenshot", parameters)["data"]);
}

}  // namespace catena::app
