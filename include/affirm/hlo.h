// HLO modules, and the indexing maps of their instructions. Link affirm::core.
//
//   auto modules = affirm::hlo::ParseModules(text, "m.hlo");  // each verified: shapes, attributes
//   const affirm::hlo::Instruction& root = *modules->front()->entry->root;
//   affirm::InstructionIndexing reads = affirm::OutputToInput(root, /*output_id=*/0, context);
//   reads.maps[1];  // the maps from an element of the result to those of operand 1 that it reads
#ifndef AFFIRM_INCLUDE_AFFIRM_HLO_H_
#define AFFIRM_INCLUDE_AFFIRM_HLO_H_

#include "core/analysis/indexing.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/hlo/shape.h"
#include "core/hlo/text.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_HLO_H_
