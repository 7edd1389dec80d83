// Help for misspelt names, and short forms of long values for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

/// `text` on one line and at most `length` characters long, with "…" for what was left out.
std::string shorten(std::string_view text, std::size_t length = 60);

/// "did you mean 'mass'?" when a known name is near, else "known names: a, b, c".
std::string suggest(std::string_view word, std::span<const std::string_view> known, std::string_view what);

}  // namespace catena::io
