// Which solvers decide: part of what a verdict rests on.
#ifndef AFFIRM_VERIFY_DECIDE_SOLVER_VERSIONS_H_
#define AFFIRM_VERIFY_DECIDE_SOLVER_VERSIONS_H_

#include <string>

namespace affirm {

// "Z3 4.8.12, isl-0.25-GMP": of the libraries that are linked, asked at run time.
std::string SolverVersions();

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_SOLVER_VERSIONS_H_
