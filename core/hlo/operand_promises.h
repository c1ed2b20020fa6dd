// Preconditions of instructions on their operands that an execution checks.
#ifndef AFFIRM_CORE_HLO_OPERAND_PROMISES_H_
#define AFFIRM_CORE_HLO_OPERAND_PROMISES_H_

namespace affirm::hlo {

// Each one that is set makes a result open (OpenResult) where the operands break it. One that is
// not set is not checked: updates are taken in order, and sorts are stable.
//
//   InterpretOptions{.promises = {.unique_indices = true}}
//
// refuses a scatter with unique_indices=true whose windows overlap.
struct OperandPromises {
  bool unique_indices = false;      // windows of a scatter that says so do not overlap
  bool indices_are_sorted = false;  // index vectors of gathers and scatters that say so ascend
  bool order_is_open = false;  // no element gets two updates of a scatter that counts their order
  bool claimed_trips = false;  // loops run as often as their known_trip_count says
  bool no_ties = false;        // equal keys of a sort that is not stable belong to equal elements
};

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_OPERAND_PROMISES_H_
