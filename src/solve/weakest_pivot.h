// The row whose pivot is least of what it would be if its bodies were free: how nearly rows depend on each other.
#pragma once

namespace catena::solve {

struct WeakestPivot {
  double pivot = 1.0;  // relative
  int row = -1;        // none that is worth less than on free bodies

  void note(double relative, int at) {
    if (!(relative < pivot)) return;
    pivot = relative;
    row = at;
  }
  void note(const WeakestPivot& other) { note(other.pivot, other.row); }
};

}  // namespace catena::solve
