// XLA's compilers, driven from outside: HLO modules in, folders with their dumps out.
//
//   XlaCompiler compiler("python3 python/xla_compile.py --platform cpu", {.seconds = 60});
//   auto dump = compiler.Compile(hlo_text);   // the folder of the dump, until the compiler is gone
//
// The program is python/xla_compile.py or takes the same arguments.
#ifndef AFFIRM_DRIVER_CAMPAIGN_XLA_COMPILER_H_
#define AFFIRM_DRIVER_CAMPAIGN_XLA_COMPILER_H_

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct XlaCompilerLimits {
  double seconds = 60;  // of one start of the program, and for each module
};

class XlaCompiler {
 public:
  // An error: the program does not exist, it reports that a package is missing (status 77), or no
  // folder can be made for its output.
  static llvm::Expected<XlaCompiler> Create(std::string command, XlaCompilerLimits limits = {});
  ~XlaCompiler();
  XlaCompiler(XlaCompiler&& other) noexcept;
  XlaCompiler& operator=(XlaCompiler&&) = delete;

  // The outcome of a module.
  struct Result {
    enum class Kind : uint8_t { kDump, kRefused, kCrash, kHang } kind = Kind::kDump;
    std::string folder;  // of kDump
    std::string detail;  // what the compiler said, or how it ended
  };
  // One module; `passes`: with the HLO around each pass.
  llvm::Expected<Result> Compile(const std::string& text, bool passes = false) const;
  // Several modules in one start of the program, so that Compile finds them done. Of those on which
  // it does not come to an end nothing is kept.
  void Prepare(llvm::ArrayRef<std::string> texts) const;
  // Forgets what was kept of a module.
  void Forget(const std::string& text) const;
  const std::string& command() const { return command_; }

 private:
  XlaCompiler(std::string command, XlaCompilerLimits limits, std::string folder)
      : command_(std::move(command)), limits_(limits), folder_(std::move(folder)) {}
  static std::string NameOf(const std::string& text, bool passes);
  std::string FolderOf(const std::string& name) const { return folder_ + "/" + name; }

  std::string command_;
  XlaCompilerLimits limits_;
  std::string folder_;  // empty: moved from
  int owner_ = 0;       // the process that removes it
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_XLA_COMPILER_H_
