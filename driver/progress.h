// The line on a terminal that says what long work is doing.
#ifndef AFFIRM_DRIVER_PROGRESS_H_
#define AFFIRM_DRIVER_PROGRESS_H_

#include "llvm/ADT/Twine.h"

namespace affirm::driver {

// A line on a terminal that is overwritten; nothing when stderr is not one.
class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  void Show(const llvm::Twine& text);
  void Clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_PROGRESS_H_
