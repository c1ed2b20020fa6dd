// Foreign text inside of other formats: names and paths may hold any bytes.
#ifndef AFFIRM_DRIVER_REPORT_MODEL_ESCAPE_H_
#define AFFIRM_DRIVER_REPORT_MODEL_ESCAPE_H_

#include <string>

#include "llvm/ADT/StringRef.h"

namespace affirm::driver {

// As the text of an element or the value of an attribute, in XML 1.0 and HTML. What is no UTF-8,
// and what no document of XML may hold, becomes U+FFFD; line ends stay line ends in attributes,
// too.
std::string XmlText(llvm::StringRef text);

// As inline code of Markdown, also in a cell of a table: one line, between as many backticks as it
// needs.
std::string MarkdownCode(llvm::StringRef text);
// As a block of code, fenced by more backticks than it holds; ends with a line end.
std::string MarkdownBlock(llvm::StringRef text, llvm::StringRef language = "");

// A path as a reference of a URI: relative, or file:///.
std::string UriOf(llvm::StringRef path);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORT_MODEL_ESCAPE_H_
