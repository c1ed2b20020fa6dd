#include "driver/dump/call_kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueSymbolTable.h"

namespace affirm::driver {

using hlo::Instruction;

namespace {

constexpr llvm::StringLiteral kTable = "buffer_table";
constexpr uint64_t kAlignmentOfArrays = 64;
constexpr uint64_t kBytesOfPointer = 8;
constexpr int64_t kMostBytes = int64_t{1} << 40;     // of an allocation
constexpr int64_t kMostOwnBytes = int64_t{1} << 16;  // of arrays that are no parameters, together

// "buffer: {index:2, offset:0, size:4}"
std::optional<BufferSlice> SliceOf(llvm::StringRef text) {
  BufferSlice slice;
  auto number = [&](llvm::StringRef key, int64_t& value) {
    return text.consume_front(key) && !text.consumeInteger(10, value) && value >= 0 &&
           value <= kMostBytes;
  };
  if (number("buffer: {index:", slice.allocation) && number(", offset:", slice.offset) &&
      number(", size:", slice.size) && text == "}")
    return slice;
  return std::nullopt;
}

// The array that all accesses of the scope are of, where it is one.
std::optional<BufferSlice> SliceOfScope(const llvm::Instruction& access) {
  const llvm::MDNode* scopes = access.getMetadata(llvm::LLVMContext::MD_alias_scope);
  if (scopes == nullptr || scopes->getNumOperands() != 1) return std::nullopt;
  const auto* scope = llvm::dyn_cast_or_null<llvm::MDNode>(scopes->getOperand(0));
  if (scope == nullptr || scope->getNumOperands() == 0) return std::nullopt;
  const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(scope->getOperand(0));
  return text ? SliceOf(text->getString()) : std::nullopt;
}

// The instructions that a call executes, by name.
void AddInstructions(const hlo::Computation& computation,
                     std::map<std::string, const Instruction*>& by_name) {
  for (const auto& op : computation.instructions) {
    if (!by_name.emplace(op->name, op.get()).second) continue;
    for (const hlo::Computation* called : op->called) AddInstructions(*called, by_name);
  }
}

class CallKernel {
 public:
  CallKernel(const Instruction& call, const BufferAssignment& buffers,
             llvm::ArrayRef<BufferSlice> params, kernel::KernelIr& ir)
      : buffers_(buffers), params_(params), ir_(ir) {
    for (const hlo::Computation* called : call.called) AddInstructions(*called, instructions_);
  }

  llvm::Error Run() {
    if (llvm::Error error = FindTable()) return error;
    for (llvm::Function& function : *ir_.module) {
      for (llvm::Instruction& op : llvm::instructions(function)) {
        if (llvm::Error error = LookAt(op)) return error;
      }
    }
    if (llvm::Error error = CheckSlices()) return error;
    Replace();
    return llvm::Error::success();
  }

 private:
  // The stores of the kernel's arguments, each to the entry of its number.
  llvm::Error FindTable() {
    const llvm::AllocaInst* table = nullptr;
    for (llvm::Argument& argument : ir_.kernel->args()) {
      for (llvm::User* user : argument.users()) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        auto entry = store ? EntryOf(*store->getPointerOperand()) : std::nullopt;
        const auto* base = entry ? llvm::dyn_cast<llvm::AllocaInst>(entry->first) : nullptr;
        if (base == nullptr || (table && base != table) || entry->second != argument.getArgNo() ||
            store->getPointerOperand() == &argument)
          return MakeError("the kernel of a call has no table of its arrays");
        table = base;
      }
    }
    bool alone = table == nullptr || IsTableAlone(*table);
    for (const llvm::Function& function : *ir_.module) {
      for (const llvm::Argument& argument : function.args())
        alone = alone && (argument.getName() != kTable || IsTableAlone(argument));
    }
    if (!alone) return MakeError("the kernel of a call uses its table in another way");
    return llvm::Error::success();
  }

  // The table, and the number of the entry at an address.
  std::optional<std::pair<const llvm::Value*, uint64_t>> EntryOf(const llvm::Value& address) {
    const llvm::DataLayout& layout = ir_.module->getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(address.getType()), 0);
    const llvm::Value* base =
        address.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    if (offset.isNegative() || offset.urem(kBytesOfPointer) != 0) return std::nullopt;
    return std::pair(base, offset.getZExtValue() / kBytesOfPointer);
  }

  // The entry that an address was loaded from: with offsets, and through choices of none.
  std::optional<uint64_t> EntryLoaded(const llvm::Value& address) {
    const llvm::Value* base = &address;
    while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(base))
      base = gep->getPointerOperand();
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
    return load ? EntryOfLoad(*load) : std::nullopt;
  }

  std::optional<uint64_t> EntryOfLoad(const llvm::LoadInst& load) {
    if (!load.getType()->isPointerTy()) return std::nullopt;
    auto entry = EntryOf(*load.getPointerOperand());
    const auto* table = entry ? llvm::dyn_cast<llvm::Argument>(entry->first) : nullptr;
    const bool is_table = table != nullptr && table->getName() == kTable;
    if (!is_table || entry->second >= ir_.kernel->arg_size()) return std::nullopt;
    return entry->second;
  }

  // The name of a value; none where it may be that of another one with digits to tell them apart.
  static std::string NameOf(const llvm::Instruction& op) {
    const llvm::ValueSymbolTable* names = op.getFunction()->getValueSymbolTable();
    llvm::StringRef name = op.getName(), shorter = name;
    while (!shorter.empty() && llvm::isDigit(shorter.back())) {
      shorter = shorter.drop_back();
      if (names->lookup(shorter) != nullptr) return "";
    }
    return name.str();
  }

  // Whether a table is handed on as one, or its entries are loaded and stored, and nothing else.
  static bool IsTableAlone(const llvm::Value& table) {
    return llvm::all_of(table.uses(), [&](const llvm::Use& use) {
      const llvm::User* user = use.getUser();
      if (llvm::isa<llvm::LoadInst>(user)) return true;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
        return store->getValueOperand() != use.get();
      if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(user))
        return gep->hasAllConstantIndices() && IsTableAlone(*gep);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      return callee != nullptr && !callee->isDeclaration() && call->isArgOperand(&use) &&
             callee->getArg(call->getArgOperandNo(&use))->getName() == kTable;
    });
  }

  llvm::Error LookAt(const llvm::Instruction& op) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&op)) {
      if (auto entry = EntryOfLoad(*load)) {
        if (!load->use_empty()) used_.insert(*entry);
        auto named = instructions_.find(NameOf(*load));
        if (named == instructions_.end()) return llvm::Error::success();
        // For a tuple the entry is the array of addresses, which is not among the leaves.
        if (named->second->shape.IsTuple()) {
          tuples_.insert(*entry);
          return llvm::Error::success();
        }
        auto slice = buffers_.Find(*named->second, 0);
        return slice ? Put(*entry, *slice) : llvm::Error::success();
      }
    }
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&op);
    auto entry = address ? EntryLoaded(*address) : std::nullopt;
    auto slice = entry ? SliceOfScope(op) : std::nullopt;
    return slice ? Put(*entry, *slice) : llvm::Error::success();
  }

  llvm::Error Put(uint64_t entry, BufferSlice slice) {
    auto [known, fresh] = slices_.try_emplace(entry, slice);
    if (fresh || known->second == slice) return llvm::Error::success();
    return MakeError("array " + llvm::Twine(entry) + " of the kernel has two places");
  }

  llvm::Error CheckSlices() {
    std::vector<BufferSlice> constants;
    for (const auto& [name, op] : instructions_) {
      if (op->opcode != hlo::Opcode::kConstant || op->shape.IsTuple()) continue;
      if (auto slice = buffers_.FindOwn(*op, 0)) constants.push_back(*slice);
    }
    for (uint64_t entry : used_) {
      auto found = slices_.find(entry);
      if (found == slices_.end()) {
        if (tuples_.contains(entry)) continue;
        return MakeError("nothing says which array the kernel's number " + llvm::Twine(entry) +
                         " is");
      }
      const BufferSlice& slice = found->second;
      for (const BufferSlice& param : params_) {
        if (Overlap(param, slice) && param.offset != slice.offset) {
          return MakeError("array " + llvm::Twine(entry) +
                           " of the kernel lies across the buffer of a parameter");
        }
      }
      if (llvm::any_of(constants, [&](const BufferSlice& c) { return Overlap(c, slice); }))
        return MakeError("array " + llvm::Twine(entry) + " of the kernel is a constant");
    }
    std::map<int64_t, int64_t> own;  // bytes of allocations
    for (const auto& [entry, slice] : slices_) {
      if (!ParamAt(slice))
        own[slice.allocation] = std::max(own[slice.allocation], slice.offset + slice.size);
    }
    int64_t bytes = BytesOfTuples() * static_cast<int64_t>(ir_.kernel->arg_size());
    for (const auto& [allocation, size] : own) bytes += size;
    if (bytes > kMostOwnBytes) return MakeError("the kernel has large arrays of its own");
    return llvm::Error::success();
  }

  // The kernel with the parameters as arguments.
  void Replace() {
    llvm::LLVMContext& context = *ir_.context;
    llvm::Function& old = *ir_.kernel;
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                llvm::SmallVector<llvm::Type*, 8>(params_.size(), pointer), false);
    auto* kernel = llvm::Function::Create(type, old.getLinkage(), "", ir_.module.get());
    kernel->takeName(&old);
    kernel->copyAttributesFrom(&old);
    kernel->setAttributes(llvm::AttributeList().addFnAttributes(
        context, llvm::AttrBuilder(context, old.getAttributes().getFnAttrs())));
    kernel->splice(kernel->begin(), &old);
    for (llvm::Argument& argument : kernel->args()) {
      argument.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(kAlignmentOfArrays)));
    }
    llvm::IRBuilder<> builder(&*kernel->getEntryBlock().begin());
    std::map<int64_t, llvm::Value*> own;  // by allocation
    for (llvm::Argument& argument : old.args())
      argument.replaceAllUsesWith(ArrayOf(argument.getArgNo(), *kernel, builder, own));
    old.eraseFromParent();
    ir_.kernel = kernel;
  }

  // The parameter that begins where the array does.
  std::optional<unsigned> ParamAt(const BufferSlice& slice) const {
    for (size_t k = 0; k < params_.size(); ++k) {
      if (params_[k].allocation == slice.allocation && params_[k].offset == slice.offset)
        return static_cast<unsigned>(k);
    }
    return std::nullopt;
  }

  llvm::Value* ArrayOf(uint64_t entry, llvm::Function& kernel, llvm::IRBuilder<>& builder,
                       std::map<int64_t, llvm::Value*>& own) {
    auto found = slices_.find(entry);
    // Addresses of a tuple's arrays, or what nothing uses.
    if (found == slices_.end()) return Own(builder, BytesOfTuples());
    const BufferSlice& slice = found->second;
    if (auto param = ParamAt(slice)) return kernel.getArg(*param);
    // Arrays that take turns in the same bytes are parts of one.
    llvm::Value*& all = own[slice.allocation];
    if (all == nullptr) {
      int64_t bytes = 0;
      for (const auto& [number, other] : slices_) {
        if (other.allocation == slice.allocation)
          bytes = std::max(bytes, other.offset + other.size);
      }
      all = Own(builder, bytes);
    }
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), all,
                                              static_cast<uint64_t>(slice.offset));
  }

  int64_t BytesOfTuples() const {
    size_t most = 1;
    for (const auto& [name, op] : instructions_) {
      if (op->shape.IsTuple()) most = std::max(most, hlo::Leaves(op->shape).size());
    }
    return static_cast<int64_t>(most * kBytesOfPointer);
  }

  static llvm::Value* Own(llvm::IRBuilder<>& builder, int64_t bytes) {
    auto* type = llvm::ArrayType::get(builder.getInt8Ty(), static_cast<uint64_t>(bytes));
    auto* array = builder.CreateAlloca(type);
    array->setAlignment(llvm::Align(kAlignmentOfArrays));
    return array;
  }

  const BufferAssignment& buffers_;
  llvm::ArrayRef<BufferSlice> params_;
  kernel::KernelIr& ir_;
  std::map<std::string, const Instruction*> instructions_;
  std::map<uint64_t, BufferSlice> slices_;  // of entries
  std::set<uint64_t> used_, tuples_;        // entries
};

}  // namespace

llvm::Error TakeParameters(const Instruction& call, const BufferAssignment& buffers,
                           llvm::ArrayRef<BufferSlice> params, kernel::KernelIr& ir) {
  return CallKernel(call, buffers, params, ir).Run();
}

}  // namespace affirm::driver
