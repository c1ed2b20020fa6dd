// What registers and memory hold while a kernel is lifted.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "verify/terms/term.h"

namespace affirm::kernel {

// A register. An integer of any width is an integer term congruent to it modulo 2^width, one of one
// bit is a condition. A vector, an array or a structure is a list.
struct Value {
  enum class Kind : uint8_t { kNone, kInteger, kCondition, kData, kPointer, kList };
  Kind kind = Kind::kNone;
  uint32_t place = 0;          // of a pointer: the memory; of a list: its length
  terms::Term term = nullptr;  // of a pointer: the offset in bytes
  const Value* parts = nullptr;
  // Of a scalar: what must hold, else it is poison and the term means nothing. Null: it is none.
  terms::Term sound = nullptr;

  static Value Integer(terms::Term term) { return {Kind::kInteger, 0, term}; }
  static Value Condition(terms::Term term) { return {Kind::kCondition, 0, term}; }
  static Value Data(terms::Term term) { return {Kind::kData, 0, term}; }
  static Value Pointer(uint32_t memory, terms::Term offset) {
    return {Kind::kPointer, memory, offset};
  }
  llvm::ArrayRef<Value> list() const { return {parts, place}; }
  friend bool operator==(const Value& a, const Value& b) {
    return a.kind == b.kind && a.place == b.place && a.term == b.term && a.parts == b.parts &&
           a.sound == b.sound;
  }
};

// Numbers of memories: buffers of parameters and global variables, memory of one thread (an index
// into its allocas, above kOfThread), and nothing that may be accessed.
inline constexpr uint32_t kOfThread = uint32_t{1} << 24;
inline constexpr uint32_t kNowhere = uint32_t{1} << 30;

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_
