// Values of registers and of memory while a kernel is lifted.
//
// A Value is a tagged union. Its content is read by kind alone:
//
//   if (auto integer = value.As<Value::Integer>()) Use(integer->term);
//   value.Visit(Visitor{...});                      // one overload for each kind
//   Term term = RequireInteger(value);              // Lifter: any other kind makes the lift
//   unknown
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "llvm/ADT/ArrayRef.h"
#include "verify/terms/term.h"

namespace affirm::kernel {

// Marks of a term (Lifter::MarksOf): it may be poison; it may differ at each use, as undef does.
inline constexpr uint8_t kMayBePoison = 1, kMayVary = 2;

class Value {
 public:
  // A register that no instruction has written. Reading it makes the lift unknown.
  struct None {
    friend bool operator==(const None&, const None&) = default;
  };
  // An integer of 2 to 64 bits: a term congruent to it modulo 2^width.
  struct Integer {
    terms::Term term = nullptr;
    friend bool operator==(const Integer&, const Integer&) = default;
  };
  // An integer of one bit.
  struct Condition {
    terms::Term term = nullptr;
    friend bool operator==(const Condition&, const Condition&) = default;
  };
  // An integer of 128 bits, as two integers of 64 bits.
  struct Wide {
    terms::Term low = nullptr, high = nullptr;
    friend bool operator==(const Wide&, const Wide&) = default;
  };
  // A float: a value term of its type.
  struct Data {
    terms::Term term = nullptr;
    friend bool operator==(const Data&, const Data&) = default;
  };
  // A memory, and an offset in bytes from its start, as a mathematical integer.
  struct Pointer {
    uint32_t memory = 0;
    terms::Term offset = nullptr;
    friend bool operator==(const Pointer&, const Pointer&) = default;
  };
  // A vector, an array or a structure. The lifter owns the parts.
  struct List {
    llvm::ArrayRef<Value> parts;
    friend bool operator==(const List& a, const List& b) {
      return a.parts.size() == b.parts.size() &&
             (a.parts.data() == b.parts.data() || a.parts == b.parts);
    }
  };

  Value() = default;
  Value(Integer content) : content_(content) {}
  Value(Condition content) : content_(content) {}
  Value(Wide content) : content_(content) {}
  Value(Data content) : content_(content) {}
  Value(Pointer content) : content_(content) {}
  Value(List content) : content_(content) {}

  template <typename Kind>
  bool Is() const {
    return std::holds_alternative<Kind>(content_);
  }
  // nullopt for another kind. The content is meaningless where `sound` fails.
  template <typename Kind>
  std::optional<Kind> As() const {
    const Kind* content = std::get_if<Kind>(&content_);
    return content ? std::optional<Kind>(*content) : std::nullopt;
  }
  // Calls the visitor with the content; the visitor must accept every kind.
  template <typename Visitor>
  decltype(auto) Visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), content_);
  }
  bool IsSameKind(const Value& other) const { return content_.index() == other.content_.index(); }

  // The condition under which the value is not poison; null if it never is. For a list, its parts
  // have the conditions.
  terms::Term sound() const { return sound_; }
  Value WithSound(terms::Term sound) const {
    Value value = *this;
    value.sound_ = sound;
    return value;
  }
  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<None, Integer, Condition, Wide, Data, Pointer, List> content_;
  terms::Term sound_ = nullptr;
};

// Overloads for Value::Visit.
template <typename... Overloads>
struct Visitor : Overloads... {
  using Overloads::operator()...;
};
template <typename... Overloads>
Visitor(Overloads...) -> Visitor<Overloads...>;

// Numbers of memories: buffers of parameters and global variables from 0; a thread's allocas from
// kOfThread; kNowhere, which must not be accessed.
inline constexpr uint32_t kOfThread = uint32_t{1} << 24;
inline constexpr uint32_t kNowhere = uint32_t{1} << 30;

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_VALUE_H_
