// What all our SVG files have in common: the frame of the file, colours, text.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace catena::svg {

/// Colours that stay apart for colour-blind readers and on paper, strongest first.
inline constexpr std::array<const char*, 8> kPalette = {"#1f5fa8", "#d1495b", "#2e933c", "#e08e1b",
                                                        "#7b4ea3", "#17889b", "#8c564b", "#6b7280"};
inline constexpr const char* kInk = "#1f2933";       // text
inline constexpr const char* kFaintInk = "#667380";  // labels of ticks
inline constexpr const char* kGridColour = "#e3e8ee";
inline constexpr const char* kPaper = "#ffffff";
inline constexpr const char* kBackground = "#f7f9fb";

/// Text with the characters that XML reserves written as entities; control characters are dropped.
std::string escape(std::string_view text);

/// Opening tag, background and default font of a file of the given size, in pixels.
std::string open(double width, double height, std::string_view title);

/// A text element. `anchor`: start, middle or end. `extra`: further attributes.
std::string text(double x, double y, std::string_view content, std::string_view anchor, double size,
                 std::string_view colour, std::string_view extra = "");

/// Estimated width of a text set in the default font, in pixels.
double text_width(std::string_view content, double size);

}  // namespace catena::svg
