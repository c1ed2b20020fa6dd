#include "driver/campaign/xla_compiler.h"

#include <unistd.h>

#include <fstream>
#include <tuple>

#include "core/symbolic/error.h"
#include "driver/shell_command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {

namespace {

namespace fs = llvm::sys::fs;

constexpr int kMissingPackage = 77, kCannotRun = 126, kNoSuchCommand = 127;
constexpr size_t kMostSaid = 400;

// The last line that is not empty: what a program that fails says of why.
std::string LastLine(llvm::StringRef text) {
  return text.rtrim().rsplit('\n').second.empty() ? text.trim().take_back(kMostSaid).str()
                                                  : text.rtrim().rsplit('\n').second.str();
}

std::string ContentOf(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

}  // namespace

llvm::Expected<XlaCompiler> XlaCompiler::Create(std::string command, XlaCompilerLimits limits) {
  auto tried = RunShell(command + " --out /nonexistent", "", {.seconds = limits.seconds});
  if (!tried) return tried.takeError();
  if (!tried->Succeeded()) {
    const bool missing = tried->end == ShellRun::End::kExited &&
                         (tried->status == kMissingPackage || tried->status == kCannotRun ||
                          tried->status == kNoSuchCommand);
    return MakeError("XLA's compiler cannot be started by '" + command +
                     "': " + LastLine(tried->errors) +
                     (missing ? "; `./dev test` brings its packages" : ""));
  }
  llvm::SmallString<128> folder;
  if (std::error_code code = fs::createUniqueDirectory("affirm-xla", folder))
    return MakeError("no folder for XLA's dumps: " + code.message());
  XlaCompiler compiler(std::move(command), limits, folder.str().str());
  compiler.owner_ = getpid();
  return compiler;
}

XlaCompiler::XlaCompiler(XlaCompiler&& other) noexcept
    : command_(std::move(other.command_)),
      limits_(other.limits_),
      folder_(std::exchange(other.folder_, "")),
      owner_(other.owner_) {}

XlaCompiler::~XlaCompiler() {
  // Processes that were forked from the one that made the folder leave it alone.
  if (!folder_.empty() && owner_ == getpid()) std::ignore = fs::remove_directories(folder_);
}

std::string XlaCompiler::NameOf(const std::string& text, bool passes) {
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true) + (passes ? "p" : "");
}

llvm::Expected<XlaCompiler::Result> XlaCompiler::Compile(const std::string& text,
                                                         bool passes) const {
  const std::string name = NameOf(text, passes), folder = FolderOf(name);
  if (!fs::exists(folder)) {
    std::ofstream(folder + ".hlo", std::ios::binary) << text;
    auto run = RunShell(command_ + (passes ? " --passes" : "") + " --out " + ShellQuoted(folder_) +
                            " " + ShellQuoted(folder + ".hlo"),
                        "", {.seconds = 2 * limits_.seconds});
    std::ignore = fs::remove(folder + ".hlo");
    if (!run) return run.takeError();
    if (run->end == ShellRun::End::kTimeout)
      return Result{Result::Kind::kHang, "", run->HowItEnded({.seconds = 2 * limits_.seconds})};
    if (!run->Succeeded()) {
      return Result{Result::Kind::kCrash, "", run->HowItEnded({}) + ": " + LastLine(run->errors)};
    }
  }
  const std::string refused = ContentOf(folder + "/refused.txt");
  if (!refused.empty()) return Result{Result::Kind::kRefused, "", refused};
  return Result{Result::Kind::kDump, folder, ""};
}

void XlaCompiler::Prepare(llvm::ArrayRef<std::string> texts) const {
  std::string files;
  std::vector<std::string> written;
  for (const std::string& text : texts) {
    written.push_back(FolderOf(NameOf(text, false)) + ".hlo");
    std::ofstream(written.back(), std::ios::binary) << text;
    files += " " + ShellQuoted(written.back());
  }
  const double seconds = limits_.seconds * static_cast<double>(texts.size() + 1);
  auto run =
      RunShell(command_ + " --out " + ShellQuoted(folder_) + files, "", {.seconds = seconds});
  // A module without a dump afterwards is compiled alone.
  if (!run) llvm::consumeError(run.takeError());
  for (const std::string& file : written) std::ignore = fs::remove(file);
}

void XlaCompiler::Forget(const std::string& text) const {
  for (bool passes : {false, true})
    std::ignore = fs::remove_directories(FolderOf(NameOf(text, passes)));
}

}  // namespace affirm::driver
