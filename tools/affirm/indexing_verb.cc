// affirm indexing: the maps of instructions, in XLA's text form.
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/indexing_report.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

// The options that ask for an analysis of maps instead of maps.
void AddAnalyses(CLI::App& verb, driver::IndexingQuery& options) {
  CLI::Option* tile =
      verb.add_option("--tile", options.tile,
                      "Sizes of a tile of the output, as 4,8: print the tiles that it\n"
                      "needs of each instruction on the way to the parameters, inside a fusion");
  CLI::Option* utilization = verb.add_flag("--utilization", options.utilization,
                                           "Print the share of each operand that is read");
  CLI::Option* coalescing = verb.add_flag("--coalescing", options.coalescing,
                                          "Print the memory sectors that the kernel's warps touch");
  verb.add_option("--threads", options.threads.per_block, "Threads of a block, for --coalescing")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->needs(coalescing);
  verb.add_option("--thread-map", options.threads.thread_map,
                  "A map (th_x, bl_x)[..] -> index of the output, or a file with one, in place\n"
                  "of the emitted kernel's, for --coalescing")
      ->needs(coalescing);
  CLI::Option* analyses[] = {tile, utilization, coalescing};
  for (CLI::Option* analysis : analyses) {
    for (CLI::Option* other : analyses) {
      if (other != analysis) analysis->excludes(other);
    }
    for (const char* other : {"--all", "--physical", "--direction"}) {
      analysis->excludes(verb.get_option(other));
    }
  }
}

}  // namespace

void AddIndexing(CLI::App& app, int& status) {
  auto options = std::make_shared<driver::IndexingQuery>();
  CLI::App* verb = app.add_subcommand("indexing", "Print indexing maps of instructions");
  verb->add_option("FILE", options->file, "HLO text, or - for standard input")->required();
  verb->add_option("--instr", options->instruction, "Instruction (default: the entry root)");
  verb->add_option("--direction", options->direction, "Which way the maps go")
      ->check(CLI::IsMember({"output-to-input", "input-to-output"}))
      ->capture_default_str();
  verb->add_option("--id", options->id, "Output (or operand) that the maps start from")
      ->capture_default_str();
  verb->add_flag("--physical", options->physical, "Between positions in memory order");
  verb->add_flag("--exact", options->exact, "Exact maps where XLA prints wider ones");
  verb->add_flag("--all", options->all, "Every instruction, every id (JSON: a line for each)");
  CLI::Option* summary =
      verb->add_flag("--summary", options->summary, "With --all: print counts only");
  summary->needs("--all");
  verb->add_flag("--json", options->json, "Print JSON");
  AddJobs(*verb, options->jobs);
  AddAnalyses(*verb, *options);
  verb->footer(
      "Example:\n"
      "  $ affirm indexing corpus/hlo/p0_plus_transpose.hlo\n"
      "  operand id = 0\n"
      "    (d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]\n"
      "    (d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]\n"
      "  $ affirm indexing corpus/hlo/softmax.hlo --tile 1,4,125\n"
      "  $ affirm indexing corpus/hlo/softmax.hlo --coalescing\n"
      "docs/map-uses.md says what tiles, utilization and coalescing are.");
  verb->callback([options, &status] { status = driver::ReportIndexing(*options); });
}

}  // namespace affirm::cli
