#include "driver/explore/page_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <list>
#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace affirm::driver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostRequest = size_t{1} << 14;  // bytes of a head
constexpr size_t kMostConnections = 64;
// A browser opens connections before it has anything to ask, and may never ask.
constexpr std::chrono::seconds kPatience(30);

llvm::Error SystemError(const llvm::Twine& what) {
  return MakeError(what + ": " + std::strerror(errno));
}

// Set by a signal, seen by the loop, which the pipe wakes.
volatile std::sig_atomic_t asked_to_end = 0;
int wake_write = -1;

void OnSignal(int) {
  asked_to_end = 1;
  const char byte = 0;
  const int saved = errno;
  [[maybe_unused]] const ssize_t written = write(wake_write, &byte, 1);
  errno = saved;
}

// SIGINT and SIGTERM go to the loop while it waits; SIGPIPE is an error of a write.
class SignalsOfLoop {
 public:
  SignalsOfLoop() {
    struct sigaction end = {};
    end.sa_handler = OnSignal;
    sigaction(SIGINT, &end, &before_[0]);
    sigaction(SIGTERM, &end, &before_[1]);
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_[2]);
  }
  ~SignalsOfLoop() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
    sigaction(SIGPIPE, &before_[2], nullptr);
  }
  SignalsOfLoop(const SignalsOfLoop&) = delete;
  SignalsOfLoop& operator=(const SignalsOfLoop&) = delete;

  // Restores the default signal handlers during slow work, so that it can be ended.
  template <typename Work>
  auto AsBefore(Work work) const {
    struct sigaction ours[2] = {};
    sigaction(SIGINT, &before_[0], &ours[0]);
    sigaction(SIGTERM, &before_[1], &ours[1]);
    auto result = work();
    sigaction(SIGINT, &ours[0], nullptr);
    sigaction(SIGTERM, &ours[1], nullptr);
    return result;
  }

 private:
  struct sigaction before_[3] = {};
};

struct Connection {
  explicit Connection(int fd) : socket(fd) {}
  ~Connection() { close(socket); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket;
  Clock::time_point last = Clock::now();  // when something came or went
  std::string request, answer;
  size_t sent = 0;
};

void SetNoBlock(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
}

std::string Response(llvm::StringRef status, llvm::StringRef type, llvm::StringRef body,
                     bool with_body) {
  std::string text = "HTTP/1.1 " + status.str() + "\r\nContent-Type: " + type.str() +
                     "; charset=utf-8\r\nContent-Length: " + std::to_string(body.size()) +
                     "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "X-Frame-Options: DENY\r\nConnection: close\r\n\r\n";
  if (with_body) text += body;
  return text;
}

std::string Refusal(llvm::StringRef status, bool with_body = true) {
  return Response(status, "text/plain", (status + "\n").str(), with_body);
}

// "Host: localhost:8000" names this machine. A tunnel may have another port at its other end.
bool NamesThisMachine(llvm::StringRef head) {
  size_t hosts = 0;
  bool ours = false;
  for (llvm::StringRef rest = head.split("\r\n").second; !rest.empty();) {
    auto [line, behind] = rest.split("\r\n");
    rest = behind;
    auto [name, value] = line.split(':');
    if (!name.equals_insensitive("host")) continue;
    ++hosts;
    value = value.trim();
    unsigned port = 0;
    auto [host, number] = value.split(':');
    const bool port_is_fine = value.find(':') == llvm::StringRef::npos ||
                              (!number.getAsInteger(10, port) && port <= UINT16_MAX);
    ours = port_is_fine && (host == "127.0.0.1" || host.equals_insensitive("localhost"));
  }
  return hosts == 1 && ours;
}

// Takes what has come; false when the connection is over.
bool Receive(Connection& connection) {
  char bytes[4096];
  while (true) {
    const ssize_t count = recv(connection.socket, bytes, sizeof(bytes), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0) return false;
    connection.last = Clock::now();
    connection.request.append(bytes, static_cast<size_t>(count));
    if (connection.request.size() > kMostRequest) return true;
  }
}

// Sends what there is room for; false when all is sent, or the peer is gone.
bool Send(Connection& connection) {
  while (connection.sent < connection.answer.size()) {
    const ssize_t count = send(connection.socket, connection.answer.data() + connection.sent,
                               connection.answer.size() - connection.sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    connection.last = Clock::now();
    connection.sent += static_cast<size_t>(count);
  }
  // Reads the text behind the head, so that closing does not reset the answer.
  shutdown(connection.socket, SHUT_WR);
  return false;
}

// Goes on with one connection; false when it is over.
bool Serve(Connection& connection, short events, llvm::function_ref<RenderedPage()> render) {
  if (connection.answer.empty()) {
    if ((events & (POLLIN | POLLHUP | POLLERR)) == 0) return true;
    if (!Receive(connection)) return false;
    const size_t end = connection.request.find("\r\n\r\n");
    if (end == std::string::npos && connection.request.size() <= kMostRequest) return true;
    connection.answer = end == std::string::npos
                            ? Refusal("431 Request Header Fields Too Large")
                            : AnswerTo(llvm::StringRef(connection.request).take_front(end), render);
  }
  return Send(connection);
}

}  // namespace

std::string AnswerTo(llvm::StringRef request, llvm::function_ref<RenderedPage()> render) {
  const llvm::StringRef line = request.split("\r\n").first;
  auto [method, rest] = line.split(' ');
  auto [target, version] = rest.split(' ');
  if (!version.starts_with("HTTP/1.")) return Refusal("400 Bad Request");
  if (!NamesThisMachine(request)) return Refusal("421 Misdirected Request");
  if (method != "GET" && method != "HEAD") return Refusal("405 Method Not Allowed");
  if (target.split('?').first != "/") return Refusal("404 Not Found", method == "GET");
  const RenderedPage page = render();
  return Response(page.failed ? "500 Internal Server Error" : "200 OK",
                  page.failed ? "text/plain" : "text/html", page.text, method == "GET");
}

PageServer::~PageServer() {
  if (socket_ >= 0) close(socket_);
}

llvm::Error PageServer::Listen(uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM, 0);
  if (socket_ < 0) return SystemError("no socket");
  SetNoBlock(socket_);
  // The port may be taken again at once by who ends a server and starts it.
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, generic, size) != 0 || listen(socket_, 16) != 0 ||
      getsockname(socket_, generic, &size) != 0) {
    return SystemError("port " + llvm::Twine(port) + " of 127.0.0.1 cannot be had");
  }
  port_ = ntohs(address.sin_port);
  return llvm::Error::success();
}

llvm::Error PageServer::Run(llvm::function_ref<RenderedPage()> render) {
  int wake[2];
  if (pipe(wake) != 0) return SystemError("no pipe");
  SetNoBlock(wake[0]);
  SetNoBlock(wake[1]);
  wake_write = wake[1];
  asked_to_end = 0;
  llvm::Error result = llvm::Error::success();
  {
    const SignalsOfLoop signals;
    auto render_as_before = [&] { return signals.AsBefore(render); };
    std::list<Connection> connections;
    while (asked_to_end == 0) {
      std::vector<pollfd> fds = {{wake[0], POLLIN, 0}, {socket_, POLLIN, 0}};
      if (connections.size() == kMostConnections) fds[1].events = 0;
      for (const Connection& connection : connections) {
        const bool answers = !connection.answer.empty();
        fds.push_back({connection.socket, static_cast<short>(answers ? POLLOUT : POLLIN), 0});
      }
      if (poll(fds.data(), fds.size(), connections.empty() ? -1 : 1000) < 0 && errno != EINTR) {
        result = llvm::joinErrors(std::move(result), SystemError("cannot wait for requests"));
        break;
      }
      if (asked_to_end != 0) break;
      size_t k = 2;
      for (auto at = connections.begin(); at != connections.end(); ++k) {
        const bool waited = Clock::now() - at->last > kPatience;
        const bool goes_on = fds[k].revents == 0 || Serve(*at, fds[k].revents, render_as_before);
        at = goes_on && !waited ? std::next(at) : connections.erase(at);
      }
      if ((fds[1].revents & POLLIN) == 0) continue;
      const int accepted = accept(socket_, nullptr, nullptr);
      if (accepted < 0) continue;  // gone again
      SetNoBlock(accepted);
      connections.emplace_back(accepted);
    }
  }
  wake_write = -1;
  close(wake[0]);
  close(wake[1]);
  return result;
}

std::string FileWatch::Look() const {
  std::string seen;
  auto add = [&](const std::string& path, const llvm::sys::fs::file_status& status) {
    seen += path + " " + std::to_string(status.getSize()) + " " +
            std::to_string(status.getUniqueID().getFile()) + " " +
            std::to_string(status.getLastModificationTime().time_since_epoch().count()) + "\n";
  };
  for (const std::string& path : paths_) {
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status(path, status)) {
      seen += path + " is not there\n";
      continue;
    }
    add(path, status);
    if (!llvm::sys::fs::is_directory(status)) continue;
    std::error_code code;
    std::vector<std::string> files;
    for (llvm::sys::fs::recursive_directory_iterator it(path, code), end; it != end && !code;
         it.increment(code)) {
      files.push_back(it->path());
    }
    llvm::sort(files);
    for (const std::string& file : files) {
      if (!llvm::sys::fs::status(file, status)) add(file, status);
    }
  }
  return seen;
}

bool FileWatch::HasChanged() {
  std::string now = Look();
  const bool changed = now != seen_;
  seen_ = std::move(now);
  return changed;
}

}  // namespace affirm::driver
