// affirm indexing: the maps of instructions, in XLA's text form.
#include "driver/reports/indexing.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

// The options that ask for an analysis of maps instead of maps.
void AddAnalyses(Verb& verb, driver::IndexingQuery& options) {
  OptionHandle tile =
      verb.Option("--tile", options.tile,
                  "Sizes of a tile of the output, as 4,8: print the tiles that it\n"
                  "needs of each instruction on the way to the parameters, inside a fusion.\n"
                  "With --direction input-to-output: of operand --id, and the tiles that it goes\n"
                  "into. 'symbolic': sizes, offsets and strides are unknowns n, o and t.\n"
                  "'list': print the sizes for which all of these tiles are exact");
  verb.Option("--tile-contracted", options.tile_contracted,
              "Sizes of a tile of the contracted dims of the one dot or reduction, as 16: print\n"
              "the tiles that are needed for each step, for --tile. 'list': as above")
      .Needs(tile);
  verb.Option("--most-tilings", options.most_tilings,
              "How many sizes 'list' tries: all; or else divisors and powers of two; or else\n"
              "powers of two, the first ones")
      .Within(1, 1'000'000)
      .ShowDefault()
      .Needs(tile);
  OptionHandle utilization = verb.Flag("--utilization", options.utilization,
                                       "Print the share of each operand that is read");
  OptionHandle coalescing = verb.Flag("--coalescing", options.coalescing,
                                      "Print the memory sectors that the kernel's warps touch");
  verb.Option("--threads", options.threads.per_block, "Threads of a block, for --coalescing")
      .Within(1, 1024)
      .ShowDefault()
      .Needs(coalescing);
  verb.Option("--thread-map", options.threads.thread_map,
              "A map (th_x, bl_x)[..] -> index of the output, or a file with one, in place\n"
              "of the emitted kernel's, for --coalescing")
      .Needs(coalescing);
  OptionHandle analyses[] = {tile, utilization, coalescing};
  for (OptionHandle analysis : analyses) {
    for (OptionHandle other : analyses) {
      if (other != analysis) analysis.Excludes(other);
    }
    for (const char* other : {"--all", "--physical", "--to"}) {
      analysis.Excludes(verb.Find(other));
    }
  }
  for (OptionHandle analysis : {utilization, coalescing}) {
    analysis.Excludes(verb.Find("--direction"));
  }
}

}  // namespace

void AddIndexing(CommandLine& line) {
  auto options = std::make_shared<driver::IndexingQuery>();
  auto meanings = std::make_shared<MeaningFlags>();
  Verb verb = line.Add("indexing", "Print indexing maps of instructions");
  verb.Option("FILE", options->file, "HLO text, or - for standard input").Required();
  verb.Option("--instr", options->instruction, "Instruction (default: the entry root)");
  OptionHandle to =
      verb.Option("--to", options->to,
                  "Compose the maps from the instruction to this one, which it needs (or, with\n"
                  "--direction input-to-output, which needs it), in fusions on the way too");
  verb.Option("--direction", options->direction, "Which way the maps go")
      .OneOf({"output-to-input", "input-to-output"})
      .ShowDefault();
  verb.Option("--id", options->id, "Output (or operand) that the maps start from").ShowDefault();
  verb.Flag("--physical", options->physical, "Between positions in memory order");
  verb.Flag("--exact", options->exact, "Exact maps where XLA prints wider ones");
  verb.Flag("--all", options->all, "Every instruction, every id (JSON: a line for each)");
  verb.Flag("--summary", options->summary, "With --all: print counts only")
      .Needs(verb.Find("--all"));
  OptionHandle certificates = verb.Option(
      "--certificates", options->certificates,
      "Write a certificate of the maps of each operand into this folder, for affirm-check");
  verb.Flag("--multi-line", options->multi_line, "Break the text of a map after each bound");
  verb.Flag("--json", options->json, "Print JSON");
  meanings->AddTo(verb);
  AddJobs(verb, options->jobs);
  to.Excludes(verb.Find("--all"));
  for (const char* other : {"--to", "--physical"}) certificates.Excludes(verb.Find(other));
  to.Excludes(verb.Find("--physical"));
  AddAnalyses(verb, *options);
  verb.Footer(
      "Example:\n"
      "  $ affirm indexing corpus/hlo/p0_plus_transpose.hlo\n"
      "  operand id = 0\n"
      "    (d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]\n"
      "    (d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]\n"
      "  $ affirm indexing corpus/hlo/softmax.hlo --instr softmax --to exp\n"
      "  $ affirm indexing corpus/hlo/softmax.hlo --tile 1,4,125\n"
      "  $ affirm indexing corpus/hlo/softmax.hlo --coalescing\n"
      "docs/map-analyses.md says what tiles, utilization and coalescing are.");
  verb.Run([options, meanings] {
    auto given = meanings->Get();
    if (!given) return Report(given.takeError());
    options->meanings = std::move(*given);
    return driver::ReportIndexing(*options);
  });
}

}  // namespace affirm::cli
