// Which values share memory, as text of the form that XLA dumps (*-buffer-assignment.txt).
//
//   allocation 0: size 360, output shape is |f32[9,10]|, maybe-live-out:
//    value: <15 copy.2 @0> (size=360,offset=0): f32[9,10]{1,0}
//    value: <24 custom-call.3{0} @0> (size=2048,offset=0): f32[16,32]{1,0}
#ifndef AFFIRM_DRIVER_BUFFERS_BUFFER_ASSIGNMENT_H_
#define AFFIRM_DRIVER_BUFFERS_BUFFER_ASSIGNMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::driver {

struct BufferSlice {
  int64_t allocation = 0, offset = 0, size = 0;  // in bytes
  friend bool operator==(const BufferSlice&, const BufferSlice&) = default;
};

class BufferAssignment {
 public:
  BufferAssignment() = default;
  // Lines that are none of an allocation or a value are passed over.
  explicit BufferAssignment(llvm::StringRef text);

  // Where array leaf `leaf` of an instruction's value lies. Instructions that only name parts of a
  // value, or its bytes (get-tuple-element, bitcast, ...), have those of their operand. nullopt
  // where the text does not say it.
  std::optional<BufferSlice> Find(const hlo::Instruction& instruction, int64_t leaf) const;

  // The same for values that the text lists under the instruction's own name.
  std::optional<BufferSlice> FindOwn(const hlo::Instruction& instruction, int64_t leaf) const;

  // Where the array lies that this one only names (of a bitcast, a get-tuple-element, a tuple),
  // whatever place the text gives the name itself. nullopt where it names none.
  std::optional<BufferSlice> FindForwarded(const hlo::Instruction& instruction, int64_t leaf) const;

  // Puts array leaf `leaf` of an instruction's value there.
  void Add(const hlo::Instruction& instruction, int64_t leaf, BufferSlice slice);

  // The index in the shape of an array leaf: {1,0} of leaf 2 of (f32[], (s32[], f32[])).
  static std::vector<int64_t> PathOf(const hlo::Instruction& instruction, int64_t leaf);

  // The argument of the entry that the text says an allocation is: its number and the index in its
  // shape. nullopt where it says none.
  std::optional<std::pair<int64_t, std::vector<int64_t>>> ParameterIn(int64_t allocation) const;
  // Whether an allocation holds constants, which are there before the program runs, or is one that
  // each thread has for itself, as the text says. False of one that the text does not have.
  bool IsConstant(int64_t allocation) const;
  bool IsThreadLocal(int64_t allocation) const;
  bool IsInText(int64_t allocation) const { return allocations_.contains(allocation); }
  // Whether the caller gets the allocation, or parts of it, as the text says.
  bool IsLiveOut(int64_t allocation) const;
  // Values that the text places twice, at different places: they have none. And those that do not
  // lie inside their allocation.
  const std::vector<std::string>& ambiguous() const { return ambiguous_; }
  const std::vector<std::string>& outside() const { return outside_; }

  size_t size() const { return slices_.size(); }
  // By allocation, in the order of their values' names; the constructor reads it.
  std::string ToString() const;

 private:
  struct Allocation {
    int64_t size = 0;
    std::optional<std::pair<int64_t, std::vector<int64_t>>> parameter = {};
    bool live_out = false, constant = false, thread_local_ = false;
  };
  static Allocation ReadAllocation(llvm::StringRef line);
  void ReadValue(llvm::StringRef line, int64_t allocation);

  // The place of the array at a path in the value of `op`, or of what it forwards.
  std::optional<BufferSlice> FindFrom(const hlo::Instruction* op, std::vector<int64_t>& path) const;
  // The slice that is known of that name within the instruction's computation.
  const BufferSlice* Lookup(const hlo::Instruction& instruction,
                            llvm::ArrayRef<int64_t> path) const;

  // Slices by value ("copy.2", "custom-call.3{0}") and computation. The text does not name the
  // computation: no two of the values that it lists have one name.
  std::map<std::pair<std::string, std::string>, BufferSlice> slices_;
  std::map<int64_t, Allocation> allocations_;  // that the text has
  std::vector<std::string> ambiguous_, outside_;
};

// Whether some bytes are of both.
bool Overlap(const BufferSlice& a, const BufferSlice& b);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_BUFFERS_BUFFER_ASSIGNMENT_H_
