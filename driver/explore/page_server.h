// A page at a port of this machine (`affirm explore --serve`): what a browser asks for is rendered
// again when what it was made from has changed.
//
//   PageServer server;
//   if (llvm::Error error = server.Listen(8000)) ...
//   server.url();  // "http://127.0.0.1:8000/"
//   server.Run([] { return RenderedPage{"<!DOCTYPE html>..."}; });  // until SIGINT or SIGTERM
//
// One thread, and nothing but the page: `GET /` from this machine. Other paths are not there, other
// methods are refused, and so is a request in whose name for this machine somebody else's name
// stands, as a page from elsewhere could have resolved its own name to here.
#ifndef AFFIRM_DRIVER_EXPLORE_PAGE_SERVER_H_
#define AFFIRM_DRIVER_EXPLORE_PAGE_SERVER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct RenderedPage {
  std::string text;
  bool failed = false;  // then the text says why, and is no HTML
};

class PageServer {
 public:
  PageServer() = default;
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // 0: any port that is free.
  llvm::Error Listen(uint16_t port);
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  // Answers until one of the signals comes. `render` makes the page that is wanted now; while it
  // does, a signal ends the program as it would without a server.
  llvm::Error Run(llvm::function_ref<RenderedPage()> render);

 private:
  int socket_ = -1;
  uint16_t port_ = 0;
};

// The answer to a request: its head, to the empty line. Of HEAD the body is left out.
std::string AnswerTo(llvm::StringRef request, llvm::function_ref<RenderedPage()> render);

// Whether a file, or what lies in a folder, is another than at the last call.
class FileWatch {
 public:
  // Files that are not there may come.
  explicit FileWatch(std::vector<std::string> paths) : paths_(std::move(paths)), seen_(Look()) {}
  bool HasChanged();

 private:
  std::string Look() const;

  std::vector<std::string> paths_;
  std::string seen_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_PAGE_SERVER_H_
