// What every part of the campaign does besides its own work: arguments, time, counts, one line of JSON (tools/campaign.py reads it).
//
//   PART --seconds N --from K --out FILE [--count N]
//
// tries number K, K + 1, ... until the time is over, and appends {part, tried, ok, refused, unjudged, crashed, hung, silent, from, to, failures} to
// FILE; `to` is the number to go on with. FILE.at has the number that is being tried, so that a crash can be told from a stop.
#pragma once

#include "support/oracles.h"

#include <functional>

namespace catena::test {

/// Runs a part; what `main` returns. `attempt` judges one number and never throws.
int run_part(int argc, char** argv, const char* part, const std::function<Verdict(std::uint64_t)>& attempt);

}  // namespace catena::test
