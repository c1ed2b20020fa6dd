// Examines a program on a batch of maps: asks, judges, and asks again about its answers.
#ifndef AFFIRM_DRIVER_ORACLE_EXAMINE_H_
#define AFFIRM_DRIVER_ORACLE_EXAMINE_H_

#include <optional>
#include <string>
#include <vector>

#include "driver/oracle/judge.h"
#include "driver/oracle/simplifier_program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct ExamineOptions {
  DecideOptions decide;
  bool idempotence = true;  // also ask about the answers
  unsigned jobs = 1;        // threads that judge
};

struct JudgedMap {
  std::string map;
  Judgment judgment;
};

struct Examination {
  std::vector<Judgment> judgments;     // one a map
  std::vector<JudgedMap> own_answers;  // answers that the program, asked about them, got wrong
  std::optional<BatchFailure> batch_failure;
};

// A map whose answer is right is not idempotent when the program, asked about the answer, prints
// another text, and that is right too.
llvm::Expected<Examination> Examine(ProgramRunner& runner, llvm::ArrayRef<std::string> maps,
                                    FailureBudget& budget, const ExamineOptions& options);

// The map that some edits lead to on which the program still has a fault like this one, and the
// fault there: a constraint that was dropped from a large map may be a wrong result of a small one.
// nullopt when it does not have it on the map alone. Ends early, with the best so far, when the
// time of the runner is over.
llvm::Expected<std::optional<JudgedMap>> ReduceFault(ProgramRunner& runner, const std::string& map,
                                                     FaultKind kind, ExamineOptions options);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_EXAMINE_H_
