// The frame, text and colours of our SVG files.
#include "io/plot/text.h"

#include <fmt/format.h>

namespace catena::svg {

std::string escape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (char c : raw) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

std::string open(double width, double height, std::string_view title) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" "
      "style=\"max-width:100%;height:auto\" font-family=\"'Helvetica Neue',Arial,'DejaVu "
      "Sans',sans-serif\">\n"
      "<title>{2}</title>\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"{3}\"/>\n",
      width, height, escape(title), kBackground);
}

std::string text(double x, double y, std::string_view content, std::string_view anchor, double size,
                 std::string_view colour, std::string_view extra) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:g}\" fill=\"{}\" {}>{}</text>\n", x,
      y, anchor, size, colour, extra, escape(content));
}

double text_width(std::string_view content, double size) {
  int characters = 0;
  for (char c : content) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // UTF-8 lead bytes
  return 0.56 * size * characters;
}

}  // namespace catena::svg
