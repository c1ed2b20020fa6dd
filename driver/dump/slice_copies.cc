#include "driver/dump/slice_copies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/symbolic/bounded_json.h"
#include "core/symbolic/checked.h"
#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/backend_config.h"
#include "verify/hlo/proof/scalar_execution.h"

namespace affirm::driver {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Where a slice begins: byte offset + stride * trip, of the trips of the innermost loop around it.
struct Place {
  int64_t offset = 0, stride = 0;
};

// A slice with its configuration, and what was seen of it.
struct Slice {
  const Instruction* op = nullptr;
  size_t fusion = 0;  // of those that were asked for
  Place place;
  std::vector<const Instruction*> loops = {};  // around it, the innermost first
  int64_t copies = 0;                          // that were seen
  Verdict verdict = Verdict::kProved;
  std::string reason = {};

  llvm::ArrayRef<Instruction*> starts() const {
    return llvm::ArrayRef(op->operands).drop_front(op->opcode == Opcode::kDynamicSlice ? 1 : 2);
  }
  const Shape& array() const { return op->operands[0]->shape; }
  const Shape& part() const {
    return op->opcode == Opcode::kDynamicSlice ? op->shape : op->operands[1]->shape;
  }
  void Fail(Verdict how, const std::string& why) {
    if (verdict != Verdict::kProved) return;
    verdict = how;
    reason = why;
  }
};

// How many bits an element has in memory; nullopt if that is not given. Elements of less than a
// byte lie side by side where the layout says so, E(4).
std::optional<int64_t> BitsInMemory(const Shape& shape) {
  if (!shape.IsArray()) return std::nullopt;
  const int64_t bits = hlo::BitWidth(shape.type);
  const std::string annotations = shape.layout ? shape.layout->annotations : "";
  const bool is_packed = annotations == "E(" + std::to_string(bits) + ")";
  if (annotations.empty() ? bits < 8 : !is_packed) return std::nullopt;
  return bits;
}

// Bits from one element to the next in each dimension; nothing where elements have no place.
std::optional<std::vector<int64_t>> BitStrides(const Shape& shape) {
  const auto bits = BitsInMemory(shape);
  if (!bits || !hlo::CheckedByteSize(shape)) return std::nullopt;
  std::vector<int64_t> strides(shape.dims.size());
  int64_t stride = *bits;
  for (int64_t dim : shape.MinorToMajor()) {
    strides[dim] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(shape.dims[dim], 1), &stride))
      return std::nullopt;
  }
  return strides;
}

// Whole bytes that all elements take; the shape has bits in memory.
int128 BytesOfAll(const Shape& shape) {
  return (int128{shape.NumElements()} * *BitsInMemory(shape) + 7) / 8;
}

// Whether the part is one run of bytes of the array: the whole array in the minor dimensions up to
// one, and one element in the dimensions above that.
bool IsOneRun(const Shape& array, const Shape& part) {
  bool is_whole = true;
  for (int64_t dim : array.MinorToMajor()) {
    if (!is_whole && part.dims[dim] != 1) return false;
    is_whole = is_whole && part.dims[dim] == array.dims[dim];
  }
  return part.MinorToMajor() == array.MinorToMajor();
}

// Whether an op keeps the bytes of its operand as they are.
bool IsSameBytes(const Instruction& op) {
  if (op.opcode == Opcode::kBitcast) return op.operands.size() == 1;
  return op.opcode == Opcode::kCopy && op.operands[0]->shape == op.shape;
}

// The value whose bytes these are.
const Instruction* BytesOf(const Instruction* op) {
  while (IsSameBytes(*op)) op = op->operands[0];
  return op;
}

// A dynamic-slice or a dynamic-update-slice.
bool IsSlice(const Instruction& op) {
  return op.opcode == Opcode::kDynamicSlice || op.opcode == Opcode::kDynamicUpdateSlice;
}

// The leaf of a fusion's result that these bytes are; nothing where they are none.
std::optional<int64_t> ResultOf(const Instruction& op) {
  const Instruction& root = *op.parent->root;
  if (root.opcode != Opcode::kTuple) return BytesOf(&root) == &op ? std::optional(0) : std::nullopt;
  for (const auto& [leaf, element] : llvm::enumerate(root.operands)) {
    if (element->shape.IsTuple()) return std::nullopt;
    if (BytesOf(element) == &op) return static_cast<int64_t>(leaf);
  }
  return std::nullopt;
}

// Whether the fusion is slices of each other alone.
bool IsCopy(const Computation& fused) {
  const Instruction* value = BytesOf(fused.root);
  while (IsSlice(*value)) {
    value = BytesOf(value->operands[value->opcode == Opcode::kDynamicUpdateSlice ? 1 : 0]);
  }
  return value->opcode == Opcode::kParameter;
}

llvm::Expected<Place> PlaceOf(const Instruction& slice) {
  auto text = calls::BackendConfigText(slice);
  if (!text) return text.takeError();
  auto value = ParseJson(text->empty() ? "{}" : *text);
  if (!value) return MakeError(llvm::toString(value.takeError()));
  const llvm::json::Object* all = value->getAsObject();
  const llvm::json::Object* config = all ? all->getObject("dynamic_slice_config") : nullptr;
  if (config == nullptr) return MakeError("'" + slice.name + "' has no dynamic_slice_config");
  Place place;
  std::optional<int64_t> loop;
  for (const auto& [key, number] : *config) {
    int64_t integer = 0;
    const auto quoted = number.getAsString();
    if (auto plain = number.getAsInteger()) {
      integer = *plain;
    } else if (!quoted || !llvm::to_integer(*quoted, integer, 10)) {
      return MakeError("'" + llvm::StringRef(key) + "' of a dynamic_slice_config is no integer");
    }
    if (key == "byte_offset") {
      place.offset = integer;
    } else if (key == "byte_stride") {
      place.stride = integer;
    } else if (key == "loop_index") {
      loop = integer;
    } else {
      return MakeError("'" + llvm::StringRef(key) + "' of a dynamic_slice_config is not known");
    }
  }
  // No dump has shown which loop a number other than 0 means.
  if (loop.value_or(0) != 0 || (!loop && place.stride != 0))
    return MakeError("'" + slice.name + "' is placed by another loop than the innermost");
  return place;
}

// The slices of a module as they run.
class SliceRun {
 public:
  SliceRun(const hlo::Module& module, const BufferAssignment& buffers,
           llvm::ArrayRef<std::string> fusions)
      : module_(module), buffers_(buffers) {
    for (const auto& computation : module.computations) {
      for (const auto& op : computation->instructions) {
        for (const Computation* callee : op->called) callers_[callee].push_back(op.get());
      }
    }
    for (const std::string& name : fusions) results_.push_back(Add(name));
  }

  std::vector<SliceCopy> Run() {
    if (!slices_.empty()) {
      now_.clear();
      execution_.Run(*module_.entry, {});
      CheckHere({}, 0);
    }
    for (Slice& slice : slices_) Conclude(slice);
    return std::move(results_);
  }

 private:
  // The loops around an instruction, the innermost first; nothing where it is called from several
  // places, or from a condition.
  std::optional<std::vector<const Instruction*>> LoopsAround(const Instruction& op) const {
    std::vector<const Instruction*> loops;
    const Computation* at = op.parent;
    while (at != module_.entry) {
      auto callers = callers_.find(at);
      if (callers == callers_.end() || callers->second.size() != 1) return std::nullopt;
      const Instruction* caller = callers->second.front();
      if (caller->opcode == Opcode::kWhile) {
        if (ComputationsOf(*caller).body != at) return std::nullopt;
        loops.push_back(caller);
      }
      at = caller->parent;
    }
    return loops;
  }

  // Whether what an update is an update of lies where the result does.
  bool IsInPlace(const Instruction& fusion, const Instruction& update) const {
    const Instruction* updated = BytesOf(update.operands[0]);
    const auto leaf = ResultOf(update);
    if (!leaf || updated->opcode != Opcode::kParameter || updated->parameter_number < 0 ||
        updated->parameter_number >= std::ssize(fusion.operands))
      return false;
    const auto before = buffers_.Find(*fusion.operands[updated->parameter_number], 0);
    const auto after = buffers_.Find(fusion, *leaf);
    return before && after && *before == *after;
  }

  int64_t CountOf(const std::string& name) const {
    int64_t count = 0;
    for (const auto& computation : module_.computations) {
      count += llvm::count_if(computation->instructions,
                              [&](const auto& op) { return op->name == name; });
    }
    return count;
  }

  // Whether the bytes of the update are another buffer's than those that they are copied to: what a
  // copy onto itself gives depends on its order.
  bool IsFromElsewhere(const Instruction& fusion, const Instruction& update) const {
    const Instruction* source = BytesOf(update.operands[1]);
    if (source->opcode == Opcode::kDynamicSlice) source = BytesOf(source->operands[0]);
    const auto leaf = ResultOf(update);
    // A value that another op of the fusion computes has a buffer of its own.
    if (source->opcode != Opcode::kParameter) return true;
    if (!leaf || source->parameter_number < 0 ||
        source->parameter_number >= std::ssize(fusion.operands))
      return false;
    const auto from = buffers_.Find(*fusion.operands[source->parameter_number], 0);
    const auto to = buffers_.Find(fusion, *leaf);
    return from && to && !Overlap(*from, *to);
  }

  SliceCopy Add(const std::string& name) {
    SliceCopy copy{.module = module_.name, .instruction = name};
    const Instruction* fusion = module_.FindInstruction(name);
    if (CountOf(name) > 1) {
      copy.reason = "several instructions of the optimized HLO have this name";
      return copy;
    }
    if (fusion == nullptr || fusion->opcode != Opcode::kFusion || fusion->called.size() != 1) {
      copy.reason = "the optimized HLO has no fusion of this name";
      return copy;
    }
    copy.where = {"", fusion->location.line, fusion->location.column};
    copy.is_all = IsCopy(*fusion->called[0]);
    std::vector<Slice> slices;
    for (const auto& op : fusion->called[0]->instructions) {
      if (!IsSlice(*op)) continue;
      auto slice = MakeSlice(*fusion, *op);
      if (!slice) {
        copy.reason = MessageOf(slice.takeError());
        return copy;
      }
      slices.push_back(std::move(*slice));
    }
    if (slices.empty()) {
      copy.reason = "has no dynamic slice";
      return copy;
    }
    copy.verdict = Verdict::kProved;
    llvm::append_range(slices_, slices);
    return copy;
  }

  llvm::Expected<Slice> MakeSlice(const Instruction& fusion, const Instruction& op) const {
    auto place = PlaceOf(op);
    if (!place) return place.takeError();
    Slice slice{.op = &op, .fusion = results_.size(), .place = *place};
    auto loops = LoopsAround(op);
    if (!loops) return MakeError("is called from several places");
    slice.loops = std::move(*loops);
    if (place->stride != 0 && slice.loops.empty())
      return MakeError("'" + op.name + "' is in no loop");
    const bool are_alike = BitsInMemory(slice.array()) == BitsInMemory(slice.part());
    if (!BitStrides(slice.array()) || !are_alike || slice.array().NumElements() == 0)
      return MakeError("'" + op.name + "' is of an array whose elements have no known place");
    if (std::ssize(slice.starts()) != slice.array().rank())
      return MakeError("'" + op.name + "' has its starts in one array");
    if (slice.part().NumElements() == 0)
      return MakeError("the slice of '" + op.name + "' is empty");
    if (slice.part().NumElements() * *BitsInMemory(slice.array()) % 8 != 0)
      return MakeError("the slice of '" + op.name + "' ends within a byte");
    if (!IsOneRun(slice.array(), slice.part()))
      return MakeError("the slice of '" + op.name + "' is not one run of bytes");
    if (op.opcode == Opcode::kDynamicUpdateSlice && !IsInPlace(fusion, op))
      return MakeError("'" + op.name + "' is not known to be written into what it updates");
    if (op.opcode == Opcode::kDynamicUpdateSlice && !IsFromElsewhere(fusion, op))
      return MakeError("'" + op.name + "' is not known to be copied from another buffer");
    return slice;
  }

  void See(const Instruction& op, llvm::ArrayRef<std::optional<int128>> leaves) {
    now_[&op] = ScalarLeaves(leaves.begin(), leaves.end());
  }

  // After a trip of the first of these loops, each of which is in the next, or after the entry.
  void CheckHere(const std::vector<const Instruction*>& loops, int64_t trip) {
    const std::map<const Instruction*, ScalarLeaves> seen = std::exchange(now_, {});
    for (Slice& slice : slices_) {
      if (slice.loops == loops) Check(slice, trip, seen);
    }
    // The loops that are run in this one.
    std::set<const Instruction*> inner;
    for (const Slice& slice : slices_) {
      const size_t depth = slice.loops.size() - std::min(slice.loops.size(), loops.size());
      if (depth == 0 || !std::equal(loops.begin(), loops.end(), slice.loops.begin() + depth))
        continue;
      inner.insert(slice.loops[depth - 1]);
    }
    for (const Instruction* loop : inner) {
      auto start = seen.find(loop->operands[0]);
      if (start != seen.end()) RunLoop(*loop, loops, start->second);
    }
  }

  void RunLoop(const Instruction& loop, const std::vector<const Instruction*>& around,
               ScalarLeaves state) {
    if (!begun_.insert({&loop, state}).second) return;
    std::vector<const Instruction*> loops = {&loop};
    llvm::append_range(loops, around);
    const LoopComputations parts = ComputationsOf(loop);
    for (int64_t trip = 0;; ++trip) {
      const ScalarLeaves again =
          parts.body ? execution_.Run(*parts.condition, state) : ScalarLeaves();
      if (again.size() != 1 || !again[0]) {
        FailIn(loop, "whether trip " + std::to_string(trip) + " of '" + loop.name +
                         "' is made is not known");
        break;
      }
      if (*again[0] == 0) break;
      now_.clear();
      state = execution_.Run(*parts.body, state);
      CheckHere(loops, trip);
    }
  }

  void FailIn(const Instruction& loop, const std::string& why) {
    for (Slice& slice : slices_) {
      if (llvm::is_contained(slice.loops, &loop)) slice.Fail(Verdict::kUnknown, why);
    }
  }

  // The slice as it is copied now. A branch that is not taken copies nothing.
  void Check(Slice& slice, int64_t trip, const std::map<const Instruction*, ScalarLeaves>& seen) {
    const std::vector<int64_t> strides = *BitStrides(slice.array());
    int128 is = 0;  // in bits
    std::string starts;
    for (const auto& [dim, operand] : llvm::enumerate(slice.starts())) {
      auto value = seen.find(operand);
      if (value == seen.end()) return;
      if (!value->second[0])
        return slice.Fail(Verdict::kUnknown, "'" + operand->name + "', a start of '" +
                                                 slice.op->name + "', is not known");
      const int128 start = *value->second[0];
      const int128 last = slice.array().dims[dim] - slice.part().dims[dim];
      is += std::clamp<int128>(start, 0, last) * strides[dim];
      starts += (dim == 0 ? "" : ",") +
                llvm::toString(llvm::APInt(64, static_cast<uint64_t>(start)), 10, /*Signed=*/true);
    }
    ++slice.copies;
    // The copy is moved so that its bytes are the array's, as one array without dimensions (an H100
    // does so; starts that lie outside in the major dimension alone are right by that).
    const int128 end =
        BytesOfAll(slice.array()) - slice.part().NumElements() * *BitsInMemory(slice.array()) / 8;
    const int128 said =
        std::clamp<int128>(slice.place.offset + int128{slice.place.stride} * trip, 0, end);
    if (8 * said == is) return;
    slice.Fail(
        Verdict::kRefuted,
        "'" + slice.op->name + "' starts at [" + starts + "] of " + slice.array().ToString(false) +
            (slice.loops.empty() ? "" : " in trip " + std::to_string(trip)) + ", which is byte " +
            std::to_string(static_cast<int64_t>(is / 8)) +
            (is % 8 == 0 ? "" : " and " + std::to_string(static_cast<int64_t>(is % 8)) + " bits") +
            ", and the copy is of byte " + std::to_string(static_cast<int64_t>(said)));
  }

  void Conclude(Slice& slice) {
    if (slice.verdict == Verdict::kProved) {
      if (execution_.has_skipped())
        slice.Fail(Verdict::kUnknown, "too much runs, or in a way that is not followed");
      if (slice.copies == 0)
        slice.Fail(Verdict::kUnknown, "'" + slice.op->name + "' is not seen to be copied");
    }
    SliceCopy& copy = results_[slice.fusion];
    const bool is_worse = copy.verdict == Verdict::kProved || slice.verdict == Verdict::kRefuted;
    if (slice.verdict == Verdict::kProved || !is_worse || copy.verdict == Verdict::kRefuted) return;
    copy.verdict = slice.verdict;
    copy.reason = slice.reason;
    copy.where.line = slice.op->location.line;
    copy.where.column = slice.op->location.column;
  }

  const hlo::Module& module_;
  const BufferAssignment& buffers_;
  std::map<const Computation*, std::vector<const Instruction*>> callers_;
  std::vector<Slice> slices_;
  std::vector<SliceCopy> results_;
  std::set<std::pair<const Instruction*, ScalarLeaves>> begun_;  // loops, with what they start from
  std::map<const Instruction*, ScalarLeaves> now_;
  ScalarExecution execution_{
      [this](const Instruction& op, llvm::ArrayRef<std::optional<int128>> leaves) {
        See(op, leaves);
      }};
};

}  // namespace

std::vector<SliceCopy> CheckSliceCopies(const hlo::Module& scheduled,
                                        const BufferAssignment& buffers,
                                        llvm::ArrayRef<std::string> fusions) {
  return SliceRun(scheduled, buffers, fusions).Run();
}

}  // namespace affirm::driver
