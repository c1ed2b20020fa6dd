// Writes the HLO text of what a custom call means.
//
//   MeaningText text(call);                       // parameters as the call's operands
//   Value sum = text.Binary(Opcode::kAdd, text.Parameter(0), text.Parameter(1));
//   return text.Module({sum, std::nullopt});      // a tuple, if the call's result is one
// gives, of a call with the result (f32[8], s8[64]),
//   ENTRY meaning {
//     p0 = f32[8] parameter(0)
//     p1 = f32[8] parameter(1)
//     v0 = f32[8] add(p0, p1)
//     v1 = s8[64] custom-call(), custom_call_target="AllocateBuffer"
//     ROOT v2 = (f32[8], s8[64]) tuple(v0, v1)
//   }
// The text is read and verified as any other module, so that a mistake here is an error there.
#ifndef AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_
#define AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::calls {

// The target of a call, known to XLA, whose result has no defined contents.
inline constexpr llvm::StringLiteral kUndefinedTarget = "AllocateBuffer";

struct Value {
  std::string name;
  hlo::Shape shape;
};

// The shape with another element type; the layout is kept.
hlo::Shape WithType(hlo::Shape shape, hlo::PrimitiveType type);

// The type in which a library computes everything up to a result of this type, which is rounded to
// it once: narrow floats are computed in f32.
hlo::PrimitiveType AccumulatorType(hlo::PrimitiveType type);

// Lines of one computation.
class Lines {
 public:
  // `computations` is the text of those that stand before it.
  explicit Lines(std::string& computations) : computations_(computations) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  Value Op(hlo::Shape shape, hlo::Opcode opcode, llvm::ArrayRef<Value> operands,
           const llvm::Twine& attributes = "");
  Value Unary(hlo::Opcode opcode, const Value& x) { return Op(x.shape, opcode, {x}); }
  Value Binary(hlo::Opcode opcode, const Value& x, const Value& y) {
    return Op(x.shape, opcode, {x, y});
  }
  Value Compare(const Value& x, const Value& y, llvm::StringRef direction) {
    return Op(WithType(x.shape, hlo::PrimitiveType::kPred), hlo::Opcode::kCompare, {x, y},
              "direction=" + direction);
  }
  Value Select(const Value& condition, const Value& x, const Value& y) {
    return Op(x.shape, hlo::Opcode::kSelect, {condition, x, y});
  }
  // The value itself where it has the type already.
  Value Convert(const Value& x, hlo::PrimitiveType type);
  // An array of one number; of a complex type, of `number` + `imaginary` i.
  Value Constant(const hlo::Shape& shape, double number, double imaginary = 0);
  // Dimension k of x is dimension `dimensions[k]` of the result.
  Value Broadcast(const Value& x, const hlo::Shape& shape, llvm::ArrayRef<int64_t> dimensions);
  // x itself where it has these sizes.
  Value Reshape(const Value& x, std::vector<int64_t> dims);
  // Dimension k of the result is dimension `order[k]` of x.
  Value Transpose(const Value& x, llvm::ArrayRef<int64_t> order);

  // A computation that this one calls, as text.
  // The same text is added once.
  void AddComputation(llvm::StringRef text);

  // A loop of `count` trips over some values, whose next ones `body` makes of the number of the
  // trip, s32[], and the ones that there are. Gives the values behind the last trip.
  using Body = llvm::function_ref<std::vector<Value>(Lines& lines, Value trip,
                                                     llvm::ArrayRef<Value> values)>;
  std::vector<Value> Loop(llvm::StringRef name, int64_t count, llvm::ArrayRef<Value> start,
                          Body body);

 protected:
  std::string body_;
  std::string& computations_;
  int64_t count_ = 0;
};

class MeaningText : public Lines {
 public:
  explicit MeaningText(const hlo::Instruction& call);

  Value Parameter(int64_t number) const;
  // The whole module. The results are the elements of the call's result, which is one array or a
  // tuple of arrays; those that are absent have no defined contents.
  std::string Module(llvm::ArrayRef<std::optional<Value>> results);

 private:
  Value Undefined(const hlo::Shape& shape);

  const hlo::Instruction& call_;
  std::string before_;
};

// "{1,2}"
std::string Braces(llvm::ArrayRef<int64_t> numbers);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_
