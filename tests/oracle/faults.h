// Simplifiers with one fault each: what the audit of programs has to find.
#ifndef AFFIRM_TESTS_ORACLE_FAULTS_H_
#define AFFIRM_TESTS_ORACLE_FAULTS_H_

#include "core/indexing/map_text.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::testing {

// A wrong rewrite that is made before the map is simplified correctly.
struct Fault {
  const char* what;
  void (*apply)(WrittenMap& map, Context& context);
};

llvm::ArrayRef<Fault> Faults();

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ORACLE_FAULTS_H_
