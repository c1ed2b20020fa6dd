// Finds libclc's bitcode for a target and links what a kernel calls of it.
#include "emit/codegen/device_math.h"

#include "core/symbolic/image_path.h"
#include "emit/codegen/library_workarounds.h"
#include "emit/plan/error.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace affirm::emit {
namespace {

// Finds libclc's bitcode for a target: the wheel's own, or else Debian's. Empty if neither is
// installed.
std::string DeviceLibrary(Target target) {
  const char* name = target == Target::kNvptx ? "nvptx64--.bc" : "amdgcn-amd-amdhsa.bc";
  const std::string of_wheel = llvm::sys::path::parent_path(ImagePath()).str() + "/clc/";
  for (llvm::StringRef folder :
       {llvm::StringRef(of_wheel), llvm::StringRef("/usr/lib/clc/"),
        llvm::StringRef("/usr/share/clc/"), llvm::StringRef("/usr/lib/llvm-22/share/clc/")}) {
    std::string path = (folder + name).str();
    if (llvm::sys::fs::exists(path)) return path;
  }
  return "";
}

// The functions that are called and not defined, intrinsics aside.
std::vector<llvm::Function*> Unresolved(llvm::Module& module) {
  std::vector<llvm::Function*> missing;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) {
      missing.push_back(&function);
    }
  }
  return missing;
}

// `wanted` are the functions that the kernel calls, collected before anything else is linked in.
llvm::StringSet<> FunctionsToShare(llvm::ArrayRef<llvm::Function*> wanted) {
  unsigned calls = 0;
  for (const llvm::Function* function : wanted) calls += function->getNumUses();
  llvm::StringSet<> shared;
  if (calls <= kMostInlinedMathCalls) return shared;
  for (const llvm::Function* function : wanted) {
    if (function->hasNUsesOrMore(2)) shared.insert(function->getName());
  }
  return shared;
}

llvm::Expected<std::unique_ptr<llvm::Module>> ReadLibrary(const std::string& path,
                                                          const llvm::Module& module) {
  llvm::SMDiagnostic diagnostic;
  // Bodies are read when the linker asks for them: a kernel needs a few of thousands.
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, diagnostic, module.getContext());
  if (!library) {
    return NotSupported("cannot read " + path + ": " + diagnostic.getMessage());
  }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // They name the processor that the library was compiled for; ours is the kernel's.
  for (llvm::Function& function : *library) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  return library;
}

}  // namespace

llvm::Error LinkDeviceMath(llvm::Module& module, Target target) {
  std::vector<llvm::Function*> missing = Unresolved(module);
  if (missing.empty()) return llvm::Error::success();
  std::string path = DeviceLibrary(target);
  if (path.empty()) {
    return NotSupported("the kernel needs " + missing.front()->getName() +
                        ", and libclc (package libclc-22) is absent");
  }
  llvm::StringSet<> shared = FunctionsToShare(missing), ours;
  WorkAroundLibrary(module, target);
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) ours.insert(function.getName());
  }
  llvm::Expected<std::unique_ptr<llvm::Module>> library = ReadLibrary(path, module);
  if (!library) return library.takeError();
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded)) {
    return NotSupported("cannot link " + path);
  }
  llvm::internalizeModule(
      module, [&](const llvm::GlobalValue& value) { return ours.contains(value.getName()); });
  missing = Unresolved(module);
  if (!missing.empty()) {
    return NotSupported("no device function for " + missing.front()->getName());
  }
  for (llvm::Function& function : module) {
    llvm::StringRef name = function.getName();
    name.consume_front(kWorkaroundPrefix);
    if (!shared.contains(name)) continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
  return llvm::Error::success();
}

}  // namespace affirm::emit
