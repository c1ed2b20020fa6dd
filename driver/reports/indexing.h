// The maps of instructions in XLA's text form: the report of `affirm indexing`.
//
//   operand id = 0
//     (d0, d1)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], s0 in [0, 124]
#ifndef AFFIRM_DRIVER_REPORTS_INDEXING_H_
#define AFFIRM_DRIVER_REPORTS_INDEXING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/indexing.h"
#include "driver/reports/map_analyses.h"
#include "verify/calls/expand.h"

namespace affirm::driver {

// A question about the instructions of a file.
struct IndexingQuery {
  std::string file;
  std::string instruction;
  std::string to;  // an instruction on the way; empty: the neighbors
  std::string direction = "output-to-input";
  int64_t id = 0;
  bool physical = false, exact = false, all = false, summary = false, json = false;
  std::string certificates;  // the folder for certificates of the maps; empty: none
  bool multi_line = false;   // the text of a map breaks after each bound
  std::optional<std::string> tile;
  std::string tile_contracted;  // sizes for the contracted dims; empty: they are whole
  int64_t most_tilings = 4096;  // that are tried where sizes are listed
  bool utilization = false, coalescing = false;
  KernelThreads threads;
  unsigned jobs = 1;
  calls::GivenMeanings meanings;  // of library calls

  Direction Way() const {
    return direction == "output-to-input" ? Direction::kOutputToInput : Direction::kInputToOutput;
  }
};

// Prints the maps, or the analyses of maps that are asked for instead; the exit status.
int ReportIndexing(const IndexingQuery& query);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_INDEXING_H_
