// One HTML file from the page, its script and style, and a recording.
#include "catena/output.h"
#include "io/replay/codec.h"

#include <fmt/format.h>

#include <stdexcept>

namespace catena {
namespace {

std::string escape_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

/// A script that may stand inside <script>: nothing in it ends the element, or begins a comment that hides its end. Both
/// sequences occur in strings and regular expressions only, where these spellings mean the same.
std::string inside_script(std::string text) {
  for (const auto& [what, instead] :
       {std::pair<std::string_view, std::string_view>{"</script", "<\\/script"}, {"<!--", "\\x3c!--"}})
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + instead.size()))
      text.replace(at, what.size(), instead);
  return text;
}

/// Replaces the element that begins with `open` and contains `attribute`, up to `close`. Throws when it is not there.
void replace_element(std::string& html, std::string_view open, std::string_view attribute,
                     std::string_view close, const std::string& with) {
  for (std::size_t at = html.find(open); at != std::string::npos; at = html.find(open, at + 1)) {
    const std::size_t end = html.find(close, at);
    if (end == std::string::npos) break;
    if (html.substr(at, end - at).find(attribute) == std::string::npos) continue;
    html.replace(at, end + close.size() - at, with);
    return;
  }
  throw std::runtime_error(
      fmt::format("the page of the viewer has no '{} ... {}'; build it again", open, attribute));
}

}  // namespace

std::string make_replay(const ReplayPage& page, const std::string& title, std::string_view recording) {
  std::string html = page.html;
  replace_element(html, "<title", "", "</title>",
                  fmt::format("<title>{} - Catena</title>", escape_html(title)));
  replace_element(html, "<link", "stylesheet", ">", "<style>\n" + page.style + "</style>");
  // the script goes to the end: the page is there before it runs, and a browser shows something while it reads on
  replace_element(html, "<script", "src=", "</script>", "");
  const std::size_t end = html.rfind("</body>");
  if (end == std::string::npos)
    throw std::runtime_error("the page of the viewer has no '</body>'; build it again");
  std::string tail = "<script type=\"application/octet-stream\" id=\"recording\">";
  tail += io::base64(recording);
  tail += "</script>\n<script type=\"module\">\n" + inside_script(page.script) + "\n</script>\n";
  return html.insert(end, tail);
}

}  // namespace catena
