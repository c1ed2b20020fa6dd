// How much an interpretation does, counted while it goes on: trips of loops as often as they run.
//
//   WorkMeter meter{.most = 1 << 20};
//   InterpretOptions options;
//   options.meter = &meter;
//   Interpret(entry, arguments, options);   // an error where it takes more
//   meter.done;                             // element operations so far
#ifndef AFFIRM_VERIFY_REFERENCE_WORK_H_
#define AFFIRM_VERIFY_REFERENCE_WORK_H_

#include <cstdint>
#include <limits>

#include "core/hlo/module.h"

namespace affirm::hlo {

// Element operations of one evaluation of an instruction: the elements of its result, each as often
// as elements are combined for it; those of the operands of a reduction or a sort. Beside these a
// constant, since an instruction on scalars takes time too. Computations that it calls are counted
// by their own instructions; combiners and comparators are not. Saturates.
//
//   dot of f32[8,16] and f32[16,4]   // kOfInstruction + 8 * 4 * 16
int64_t ElementOperations(const Instruction& instruction);

// How many element operations an instruction on scalars is worth.
inline constexpr int64_t kOfInstruction = 16;

struct WorkMeter {
  int64_t most = std::numeric_limits<int64_t>::max();
  int64_t done = 0;
  bool IsExceeded() const { return done > most; }
  // Adds before it is done; saturates.
  void Add(int64_t operations);
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_WORK_H_
