// Overwrites one line of the terminal.
#include "driver/progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

Progress::Progress() : enabled_(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::Show(const llvm::Twine& text) {
  if (!enabled_) return;
  llvm::errs() << "\r\x1b[K" << text.str().substr(0, 100);
  shown_ = true;
}

void Progress::Clear() {
  if (shown_) llvm::errs() << "\r\x1b[K";
  shown_ = false;
}

}  // namespace affirm::driver
