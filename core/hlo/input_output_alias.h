// `input_output_alias` of a module's header: the results that take the memory of parameters.
//
//   input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {2}, must-alias) }
//
// says that array 0 of the result takes the memory of parameter 1, and array 1 that of element 2 of
// parameter 0, a tuple.
#ifndef AFFIRM_CORE_HLO_INPUT_OUTPUT_ALIAS_H_
#define AFFIRM_CORE_HLO_INPUT_OUTPUT_ALIAS_H_

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// The header may also donate parameters, whose memory any result may then take:
//
//   buffer_donor={ (1, {}), (0, {2}) }
struct InputOutputAlias {
  int64_t result_leaf = 0;  // an array of the entry's result
  int64_t parameter = 0, parameter_leaf = 0;
  bool must = false;  // the caller counts on it; else it is a permission
};

// Empty if the header has no such attribute. An error says what is wrong: malformed text, a place
// that is no array of the result or of a parameter, arrays of two sizes, an array that is named
// twice.
llvm::Expected<std::vector<InputOutputAlias>> InputOutputAliases(const Module& module);

struct BufferDonor {
  int64_t parameter = 0, parameter_leaf = 0;
};

// The parameters of buffer_donor. An error where its text is malformed or names no array.
llvm::Expected<std::vector<BufferDonor>> BufferDonors(const Module& module);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_INPUT_OUTPUT_ALIAS_H_
