// The rules of operations: what each element of a result may be, of the enclosures of the operands.
// An error where the called computation is malformed. Internal to verify/enclosure.
#ifndef AFFIRM_VERIFY_ENCLOSURE_RULES_H_
#define AFFIRM_VERIFY_ENCLOSURE_RULES_H_

#include "llvm/Support/Error.h"
#include "verify/enclosure/evaluation.h"

namespace affirm::enclosure {

// elementwise_rules.cc
llvm::Error EncloseElements(Evaluation& of);
llvm::Error EncloseMap(Evaluation& of);
// Each element of the result is one of an operand.
void EncloseMovement(Evaluation& of);
// fold_rules.cc
llvm::Error EncloseReduction(Evaluation& of);  // reduce, reduce-window
llvm::Error EncloseScatter(Evaluation& of);
llvm::Error EncloseSelectAndScatter(Evaluation& of);
// product_rules.cc
void EncloseProducts(Evaluation& of);  // dot, convolution, ragged-dot
// sort_rules.cc
llvm::Error EncloseSort(Evaluation& of);
void EncloseTopK(Evaluation& of);
// normalization_rules.cc
void EncloseBatchNormInference(Evaluation& of);
void EncloseBatchNormTraining(Evaluation& of);
void EncloseBatchNormGrad(Evaluation& of);
// transform_rules.cc
void EncloseFft(Evaluation& of);
// matrix_rules.cc
void EncloseCholesky(Evaluation& of);
void EncloseTriangularSolve(Evaluation& of);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_RULES_H_
