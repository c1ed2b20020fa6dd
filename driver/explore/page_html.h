// The page's file: its markup, style and programs (driver/explore/page), and the data.
#ifndef AFFIRM_DRIVER_EXPLORE_PAGE_HTML_H_
#define AFFIRM_DRIVER_EXPLORE_PAGE_HTML_H_

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// A file of driver/explore/page, as it was when affirm was built.
struct PageFile {
  llvm::StringRef name;  // "grid.js"
  llvm::StringRef text;
};
llvm::ArrayRef<PageFile> PageFiles();

// One HTML file that needs no other. `title` is what its window is called.
std::string PageHtml(llvm::StringRef title, llvm::json::Object data);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_PAGE_HTML_H_
