// How far the error of rows is believed, given how many can be redundant.
#include "solve/known_redundancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace catena::solve {
namespace {

/// A structure with rows of these pivots: those below 100 δ² are dropped. What was asked for, in order.
struct Rows {
  std::vector<double> pivots;
  std::vector<double> asked;

  int dropped(double error) {
    asked.push_back(error);
    return int(std::ranges::count_if(pivots, [&](double pivot) { return pivot < 100.0 * error * error; }));
  }
  void factor(const KnownRedundancy& known, double error) {
    asked.clear();
    known.factor(error, 1e-8, [&](double believed) { return dropped(believed); });
  }
  int last() { return dropped(asked.back()); }
};

TEST(KnownRedundancy, BelievesTheErrorWhereNothingIsKnown) {
  KnownRedundancy known;
  known.note(1e-3, 0);  // open: says nothing
  Rows rows{{1.0, 1e-9}, {}};
  rows.factor(known, 1e-4);
  EXPECT_EQ(rows.asked, std::vector<double>{1e-4});
  EXPECT_FALSE(known.is_known());
}

TEST(KnownRedundancy, DropsNothingWhereRowsWereIndependent) {
  KnownRedundancy known;
  known.note(1e-12, 0);
  known.note(1e-12, 5);  // only the first counts
  EXPECT_TRUE(known.is_full_rank());
  Rows rows{{1.0, 1e-9}, {}};
  rows.factor(known, 1e-4);
  EXPECT_EQ(rows.asked, std::vector<double>{0.0});
}

TEST(KnownRedundancy, LeavesWeakRowsBesideRedundantOnes) {
  KnownRedundancy known;
  known.note(0.0, 1);
  Rows rows{{1.0, 1e-8, 1e-13}, {}};  // weak, redundant
  rows.factor(known, 1e-4);
  EXPECT_EQ(rows.last(), 1);
  EXPECT_TRUE(known.has_missed(0));
  EXPECT_FALSE(known.has_missed(1));
}

// A redundant row that is kept locks the mechanism: rather drop a weak one too.
TEST(KnownRedundancy, MissesNoRedundantRowForTheSakeOfAWeakOne) {
  KnownRedundancy known;
  known.note(0.0, 2);
  Rows rows{{1.0, 4e-9, 5e-9, 6e-9}, {}};
  rows.factor(known, 1e-4);
  EXPECT_EQ(rows.last(), 3);
}

TEST(KnownRedundancy, GoesOnFromAProof) {
  KnownRedundancy known;
  known.note_proof();
  known.note(0.0, 3);
  EXPECT_TRUE(known.is_full_rank());
  known.forget();
  EXPECT_FALSE(known.is_known());
}

}  // namespace
}  // namespace catena::solve
