#include "driver/buffers/buffer_assignment.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The number behind "key".
std::optional<int64_t> NumberBehind(llvm::StringRef line, llvm::StringRef key) {
  const size_t at = line.find(key);
  int64_t number = 0;
  if (at == llvm::StringRef::npos) return std::nullopt;
  llvm::StringRef rest = line.drop_front(at + key.size());
  if (rest.consumeInteger(10, number)) return std::nullopt;
  return number;
}

// The index of a leaf in a shape: {1,0} of leaf 2 of (f32[], (s32[], f32[])) counted in order.
bool PathOfLeaf(const hlo::Shape& shape, int64_t& leaf, std::vector<int64_t>& path) {
  if (!shape.IsTuple()) return leaf-- == 0;
  for (size_t k = 0; k < shape.tuple.size(); ++k) {
    if (leaf > 0 && !shape.tuple[k].IsTuple()) {
      --leaf;
      continue;
    }
    path.push_back(static_cast<int64_t>(k));
    if (PathOfLeaf(shape.tuple[k], leaf, path)) return true;
    path.pop_back();
  }
  return false;
}

std::string KeyOf(const Instruction& instruction, llvm::ArrayRef<int64_t> path) {
  std::string key = instruction.name;
  if (!instruction.shape.IsTuple()) return key;
  key += "{";
  for (size_t k = 0; k < path.size(); ++k) key += (k > 0 ? "," : "") + std::to_string(path[k]);
  return key + "}";
}

// The operand that a parameter of a computation is, which one instruction calls; null elsewhere.
const Instruction* OperandOfCaller(const Instruction& parameter) {
  const hlo::Computation* called = parameter.parent;
  const Instruction* caller = nullptr;
  for (const auto& computation : called->module->computations) {
    for (const auto& op : computation->instructions) {
      if (!llvm::is_contained(op->called, called)) continue;
      if (caller != nullptr && caller != op.get()) return nullptr;
      caller = op.get();
    }
  }
  if (caller == nullptr) return nullptr;
  switch (caller->opcode) {
    case Opcode::kAsyncStart:
    case Opcode::kCall:
      return caller->operands[parameter.parameter_number];
    case Opcode::kWhile:
      return caller->operands[0];
    case Opcode::kConditional:
      return caller->operands[1 + (llvm::find(caller->called, called) - caller->called.begin())];
    default:
      return nullptr;
  }
}

// The instruction whose value this one's is, and where in it; null where it has one of its own.
const Instruction* Forwards(const Instruction& op, std::vector<int64_t>& path) {
  switch (op.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kBitcast:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
    case Opcode::kWhile:
      return op.operands[0];
    case Opcode::kGetTupleElement:
      path.insert(path.begin(), op.attributes.tuple_index);
      return op.operands[0];
    case Opcode::kTuple: {
      if (path.empty()) return nullptr;
      const int64_t element = path.front();
      path.erase(path.begin());
      return op.operands[element];
    }
    case Opcode::kAsyncDone:
      // An async op has operands, result and state; this is the result.
      path.insert(path.begin(), 1);
      return op.operands[0];
    case Opcode::kAsyncUpdate:
      return op.operands[0];
    case Opcode::kAsyncStart: {
      if (path.empty() || path.front() > 1) return nullptr;
      const bool is_operand = path.front() == 0;
      path.erase(path.begin());
      if (!is_operand) return op.called.empty() ? nullptr : op.called.front()->root;
      if (path.empty()) return nullptr;
      const int64_t operand = path.front();
      path.erase(path.begin());
      return op.operands[operand];
    }
    case Opcode::kCall:
      return op.called.empty() ? nullptr : op.called.front()->root;
    case Opcode::kParameter:
      // A value that a loop or a branch does not change has no value of its own there.
      return OperandOfCaller(op);
    default:
      return nullptr;
  }
}

}  // namespace

BufferAssignment::BufferAssignment(llvm::StringRef text) {
  int64_t allocation = -1;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.starts_with("allocation ")) {
      allocation = NumberBehind(line, "allocation ").value_or(-1);
      if (allocation >= 0) allocations_.try_emplace(allocation, ReadAllocation(line));
      continue;
    }
    // The text behind the allocations lists the values in another order.
    if (line.starts_with("Total bytes") || line.starts_with("Used values")) allocation = -1;
    if (allocation >= 0 && line.consume_front("value: <")) ReadValue(line, allocation);
  }
  for (const std::string& name : ambiguous_) slices_.erase({"", name});
}

// "allocation 1: size 96, parameter 0, shape |(f32[], s32[4])| at ShapeIndex {1}:"
BufferAssignment::Allocation BufferAssignment::ReadAllocation(llvm::StringRef line) {
  Allocation allocation{.size = NumberBehind(line, ": size ").value_or(0)};
  allocation.live_out = line.contains(", maybe-live-out") || line.contains(", output shape is ");
  allocation.constant = line.contains(", constant");
  allocation.thread_local_ = line.contains(", thread-local");
  auto parameter = NumberBehind(line, ", parameter ");
  if (!parameter) return allocation;
  std::vector<int64_t> path;
  llvm::SmallVector<llvm::StringRef> parts;
  line.split(" at ShapeIndex {").second.split('}').first.split(parts, ',', -1, false);
  for (llvm::StringRef part : parts) {
    int64_t number = -1;
    part.trim().getAsInteger(10, number);
    path.push_back(number);
  }
  allocation.parameter.emplace(*parameter, std::move(path));
  return allocation;
}

// "25 arg_tuple.6{1} (phi) @0> (size=4,offset=0): f32[]"
void BufferAssignment::ReadValue(llvm::StringRef line, int64_t allocation) {
  auto size = NumberBehind(line, "size="), offset = NumberBehind(line, "offset=");
  const size_t at = line.find(" @");
  if (!size || !offset || at == llvm::StringRef::npos) return;
  const std::string name = line.take_front(at).split(' ').second.split(' ').first.str();
  const BufferSlice slice{allocation, *offset, *size};
  auto [known, fresh] = slices_.try_emplace({"", name}, slice);
  if (!fresh && !(known->second == slice)) ambiguous_.push_back(name);
  if (*offset < 0 || *size < 0 || *offset > allocations_[allocation].size - *size)
    outside_.push_back(name);
}

std::vector<int64_t> BufferAssignment::PathOf(const Instruction& instruction, int64_t leaf) {
  std::vector<int64_t> path;
  PathOfLeaf(instruction.shape, leaf, path);
  return path;
}

std::optional<std::pair<int64_t, std::vector<int64_t>>> BufferAssignment::ParameterIn(
    int64_t allocation) const {
  auto found = allocations_.find(allocation);
  return found == allocations_.end() ? std::nullopt : found->second.parameter;
}

bool BufferAssignment::IsConstant(int64_t allocation) const {
  const auto found = allocations_.find(allocation);
  return found != allocations_.end() && found->second.constant;
}

bool BufferAssignment::IsThreadLocal(int64_t allocation) const {
  const auto found = allocations_.find(allocation);
  return found != allocations_.end() && found->second.thread_local_;
}

bool BufferAssignment::IsLiveOut(int64_t allocation) const {
  auto found = allocations_.find(allocation);
  return found != allocations_.end() && found->second.live_out;
}

std::optional<BufferSlice> BufferAssignment::Find(const Instruction& instruction,
                                                  int64_t leaf) const {
  std::vector<int64_t> path;
  if (!PathOfLeaf(instruction.shape, leaf, path)) return std::nullopt;
  return FindFrom(&instruction, path);
}

std::optional<BufferSlice> BufferAssignment::FindForwarded(const Instruction& instruction,
                                                           int64_t leaf) const {
  std::vector<int64_t> path;
  if (!PathOfLeaf(instruction.shape, leaf, path)) return std::nullopt;
  const Instruction* forwarded = Forwards(instruction, path);
  return FindFrom(forwarded, path);
}

std::optional<BufferSlice> BufferAssignment::FindFrom(const Instruction* op,
                                                      std::vector<int64_t>& path) const {
  while (op != nullptr) {
    if (const BufferSlice* found = Lookup(*op, path)) return *found;
    op = Forwards(*op, path);
  }
  return std::nullopt;
}

std::optional<BufferSlice> BufferAssignment::FindOwn(const Instruction& instruction,
                                                     int64_t leaf) const {
  std::vector<int64_t> path;
  if (!PathOfLeaf(instruction.shape, leaf, path)) return std::nullopt;
  const BufferSlice* found = Lookup(instruction, path);
  return found ? std::optional(*found) : std::nullopt;
}

const BufferSlice* BufferAssignment::Lookup(const Instruction& instruction,
                                            llvm::ArrayRef<int64_t> path) const {
  const std::string key = KeyOf(instruction, path);
  for (const std::string& computation : {instruction.parent->name, std::string()}) {
    const auto found = slices_.find({computation, key});
    if (found != slices_.end()) return &found->second;
  }
  return nullptr;
}

void BufferAssignment::Add(const Instruction& instruction, int64_t leaf, BufferSlice slice) {
  std::vector<int64_t> path;
  if (PathOfLeaf(instruction.shape, leaf, path)) {
    slices_[{instruction.parent->name, KeyOf(instruction, path)}] = slice;
  }
}

std::string BufferAssignment::ToString() const {
  std::map<int64_t, std::vector<std::pair<llvm::StringRef, BufferSlice>>> values;
  for (const auto& [key, slice] : slices_) {
    values[slice.allocation].emplace_back(key.second, slice);
  }
  std::string text = "BufferAssignment:\n";
  llvm::raw_string_ostream os(text);
  size_t number = 0;
  for (const auto& [allocation, of] : values) {
    int64_t size = 0;
    for (const auto& [name, slice] : of) size = std::max(size, slice.offset + slice.size);
    os << "allocation " << allocation << ": size " << size << ":\n";
    for (const auto& [name, slice] : of) {
      os << " value: <" << number++ << " " << name << " @0> (size=" << slice.size
         << ",offset=" << slice.offset << ")\n";
    }
  }
  return text;
}

bool Overlap(const BufferSlice& a, const BufferSlice& b) {
  return a.allocation == b.allocation && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

}  // namespace affirm::driver
