// Reads kernels with LLVM's parser.
#include "verify/kernel/kernel_ir.h"

#include "core/symbolic/error.h"
#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "verify/kernel/alias_domains.h"
#include "verify/kernel/call_frame.h"
#include "verify/kernel/data_layout.h"
#include "verify/kernel/kernel_names.h"
#include "verify/kernel/masked_accesses.h"
#include "verify/kernel/newer_ir_text.h"

namespace affirm::kernel {
namespace {

// Calls `visit` with each (function, key, value) of nvvm.annotations.
template <typename Visit>
void ForEachAnnotation(const llvm::Module& module, Visit visit) {
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 3) continue;
    auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    for (unsigned k = 1; function != nullptr && k + 1 < node->getNumOperands(); k += 2) {
      auto* key = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(k).get());
      auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(k + 1));
      if (key != nullptr && value != nullptr) visit(*function, key->getString(), *value);
    }
  }
}

bool IsKernel(const llvm::Function& function) {
  if (TakesCallFrame(function) && !function.hasLocalLinkage()) return true;
  switch (function.getCallingConv()) {
    case llvm::CallingConv::PTX_Kernel:
    case llvm::CallingConv::AMDGPU_KERNEL:
      return true;
    default:
      break;
  }
  bool is_kernel = false;
  ForEachAnnotation(*function.getParent(), [&](const llvm::Function& of, llvm::StringRef key,
                                               const llvm::ConstantInt& value) {
    is_kernel |= &of == &function && key == "kernel" && value.isOne();
  });
  return is_kernel;
}

llvm::Expected<llvm::Function*> FindKernel(llvm::Module& module, llvm::StringRef where,
                                           llvm::StringRef name) {
  auto fail = [&](const llvm::Twine& message) {
    return MakeError(where + ":1:1: error: " + message);
  };
  if (!name.empty()) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || function->isDeclaration()) {
      return fail("there is no function '" + name + "', expected the kernel of the launch");
    }
    return function;
  }
  llvm::Function* only = nullptr;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !IsKernel(function)) continue;
    if (only != nullptr) {
      return fail("there are several kernels, '" + only->getName() + "' and '" +
                  function.getName() + "': the launch must name one");
    }
    only = &function;
  }
  if (only == nullptr)
    return fail("there is no kernel, expected a definition with ptx_kernel, or of XLA:CPU");
  return only;
}

// Reads the text into `ir.context`; `places` hears of each instruction's.
llvm::Error ParseModule(llvm::StringRef text, llvm::StringRef where, KernelIr& ir,
                        llvm::AsmParserContext& places) {
  ir.where = where.str();
  ir.context = std::make_unique<llvm::LLVMContext>();
  std::string readable = RewriteNewerText(text);
  llvm::SMDiagnostic diagnostic;
  ir.module = llvm::parseAssembly(llvm::MemoryBufferRef(readable, where), diagnostic, *ir.context,
                                  nullptr, LayoutOfModule, &places);
  if (ir.module == nullptr) {
    return MakeError(where + ":" + llvm::Twine(std::max(diagnostic.getLineNo(), 1)) + ":" +
                     llvm::Twine(diagnostic.getColumnNo() + 1) +
                     ": error: " + diagnostic.getMessage() + ", expected LLVM IR");
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<std::vector<std::string>> KernelNames(llvm::StringRef text, llvm::StringRef where) {
  KernelIr ir;
  llvm::AsmParserContext places;
  if (llvm::Error error = ParseModule(text, where, ir, places)) return error;
  std::vector<std::string> names;
  for (const llvm::Function& function : *ir.module) {
    if (!function.isDeclaration() && IsKernel(function)) names.push_back(function.getName().str());
  }
  return names;
}

llvm::Expected<KernelIr> ReadKernelIr(llvm::StringRef text, llvm::StringRef where,
                                      llvm::StringRef name) {
  KernelIr ir;
  llvm::AsmParserContext places;
  if (llvm::Error error = ParseModule(text, where, ir, places)) return error;
  RewriteAliasDomains(*ir.module);
  std::string broken;
  llvm::raw_string_ostream os(broken);
  if (llvm::verifyModule(*ir.module, &os)) {
    llvm::StringRef first = llvm::StringRef(broken).split('\n').first;
    return MakeError(where + ":1:1: error: the LLVM IR is malformed: " + first);
  }
  llvm::Expected<llvm::Function*> kernel = FindKernel(*ir.module, where, name);
  if (kernel && TakesCallFrame(**kernel)) {
    ir.in_order = true;
    kernel = UnpackCallFrame(**kernel, where);
  }
  if (!kernel) return kernel.takeError();
  ir.kernel = *kernel;
  for (llvm::Function& function : *ir.module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto at = places.getInstructionLocation(&instruction);
      if (at) ir.lines[&instruction] = static_cast<int>(at->Start.Line) + 1;
    }
  }
  SplitMaskedAccesses(ir);
  return ir;
}

std::optional<std::array<int64_t, 3>> RequiredThreads(const KernelIr& ir) {
  std::array<int64_t, 3> sizes = {1, 1, 1};
  if (ir.in_order) return sizes;
  for (const char* name : {"nvvm.reqntid", "nvvm.maxntid"}) {
    llvm::Attribute attribute = ir.kernel->getFnAttribute(name);
    if (!attribute.isValid()) continue;
    llvm::SmallVector<llvm::StringRef> parts;
    attribute.getValueAsString().split(parts, ',');
    for (size_t k = 0; k < parts.size() && k < 3; ++k) {
      if (parts[k].trim().getAsInteger(10, sizes[k]) || sizes[k] < 1) return std::nullopt;
    }
    return sizes;
  }
  bool found = false;
  ForEachAnnotation(*ir.module, [&](const llvm::Function& of, llvm::StringRef key,
                                    const llvm::ConstantInt& value) {
    if (&of != ir.kernel || value.getBitWidth() > 64) return;
    if (!key.consume_front("reqntid") || key.size() != 1 || key[0] < 'x' || key[0] > 'z') return;
    sizes[key[0] - 'x'] = value.getSExtValue();
    found = true;
  });
  if (!found) return std::nullopt;
  return sizes;
}

std::string TextWithoutNames(const KernelIr& ir) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*ir.module);
  copy->setModuleIdentifier("");
  copy->setSourceFileName("");
  int64_t number = 0;
  for (llvm::Function& function : *copy) {
    if (!function.isDeclaration()) function.setName("function." + llvm::Twine(number++));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, nullptr);
  return text;
}

}  // namespace affirm::kernel
