#include "verify/kernel/initial_values.h"

#include <algorithm>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "verify/kernel/data_layout.h"
#include "verify/kernel/newer_ir_text.h"

namespace affirm::kernel {
namespace {

constexpr uint64_t kMostInitialBytes = uint64_t{1} << 30;

// Writes constants into the bytes of a variable, lowest byte first.
class Writer {
 public:
  Writer(const llvm::DataLayout& layout, std::vector<uint8_t>& bytes)
      : layout_(layout), bytes_(bytes) {}

  // False for a constant whose bytes are not known.
  bool Write(const llvm::Constant& value, uint64_t at) {
    if (llvm::isa<llvm::ConstantAggregateZero, llvm::ConstantPointerNull>(value)) return true;
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(&value)) {
      const llvm::StringRef raw = data->getRawDataValues();
      return Put(llvm::arrayRefFromStringRef(raw), at);
    }
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return PutBits(integer->getValue(), at);
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&value))
      return PutBits(number->getValueAPF().bitcastToAPInt(), at);
    if (const auto* structure = llvm::dyn_cast<llvm::ConstantStruct>(&value)) {
      const llvm::StructLayout& places = *layout_.getStructLayout(structure->getType());
      return llvm::all_of(llvm::seq(structure->getNumOperands()), [&](unsigned k) {
        return Write(*structure->getOperand(k), at + places.getElementOffset(k).getFixedValue());
      });
    }
    const auto* array = llvm::dyn_cast<llvm::ConstantArray>(&value);
    if (array == nullptr) return false;
    const uint64_t each =
        layout_.getTypeAllocSize(array->getType()->getElementType()).getFixedValue();
    return llvm::all_of(llvm::seq(array->getNumOperands()),
                        [&](unsigned k) { return Write(*array->getOperand(k), at + k * each); });
  }

 private:
  bool Put(llvm::ArrayRef<uint8_t> from, uint64_t at) {
    if (at + from.size() > bytes_.size()) return false;
    llvm::copy(from, bytes_.begin() + static_cast<int64_t>(at));
    return true;
  }

  bool PutBits(const llvm::APInt& bits, uint64_t at) {
    if (bits.getBitWidth() % 8 != 0) return false;
    for (unsigned k = 0; k < bits.getBitWidth(); k += 8) {
      const auto byte = static_cast<uint8_t>(bits.extractBitsAsZExtValue(8, k));
      if (!Put(byte, at + k / 8)) return false;
    }
    return true;
  }

  const llvm::DataLayout& layout_;
  std::vector<uint8_t>& bytes_;
};

InitialValue ValueOf(const llvm::GlobalVariable& variable) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  InitialValue value;
  value.name = variable.getName().str();
  value.is_variable = !variable.isConstant() && !variable.isInterposable();
  if (!variable.isConstant())
    value.open = "is no constant, so that other values may be put there before the program runs";
  else if (!variable.hasDefinitiveInitializer() || variable.isThreadLocal())
    value.open = "has an initializer that another module may replace";
  const llvm::TypeSize size = layout.getTypeAllocSize(variable.getValueType());
  if (size.isScalable() || size.getFixedValue() > kMostInitialBytes || !layout.isLittleEndian()) {
    value.unknown = "has a type or a byte order that is not read";
    return value;
  }
  value.bytes.resize(size.getFixedValue());
  if (!Writer(layout, value.bytes).Write(*variable.getInitializer(), 0)) {
    value.bytes.clear();
    value.unknown = "has an initializer that is not a number, or not defined";
  }
  value.is_zero = llvm::all_of(value.bytes, [](uint8_t byte) { return byte == 0; });
  return value;
}

}  // namespace

llvm::Expected<std::vector<InitialValue>> InitialValuesIn(llvm::StringRef text,
                                                          llvm::StringRef where,
                                                          llvm::StringRef prefix) {
  llvm::LLVMContext context;
  const std::string readable = RewriteNewerText(text);
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssembly(
      llvm::MemoryBufferRef(readable, where), diagnostic, context, nullptr, LayoutOfModule);
  if (module == nullptr) {
    return MakeError(where + ":" + llvm::Twine(std::max(diagnostic.getLineNo(), 1)) + ":" +
                     llvm::Twine(diagnostic.getColumnNo() + 1) +
                     ": error: " + diagnostic.getMessage() + ", expected LLVM IR");
  }
  std::vector<InitialValue> values;
  for (const llvm::GlobalVariable& variable : module->globals()) {
    if (variable.hasInitializer() && variable.getName().starts_with(prefix))
      values.push_back(ValueOf(variable));
  }
  return values;
}

}  // namespace affirm::kernel
