// affirm width: can a map be evaluated in integers of so many bits?
#include "core/symbolic/error.h"
#include "driver/reports/cast_rewrites.h"
#include "driver/reports/width.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/verbs.h"
#include "verify/width/width.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string map;
  unsigned width = 0;  // 0: find the narrowest
  bool is_unsigned = false, steps = false, kernels = false, rfc = false, json = false;
  DecideFlags decide;

  Signedness signedness() const {
    return is_unsigned ? Signedness::kUnsigned : Signedness::kSigned;
  }
};

llvm::Error CheckUsage(const Options& options) {
  if (options.rfc == options.map.empty()) return llvm::Error::success();
  return MakeError(options.rfc ? "width: --rfc takes no MAP" : "width: MAP is required");
}

int Run(const Options& options) {
  if (llvm::Error error = CheckUsage(options)) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  if (options.rfc) return driver::ReportCasts(options.json, *decide);
  if (options.kernels) {
    return driver::ReportKernelWidths({options.map, options.width, options.json});
  }
  Context context;
  auto map = ReadMap(options.map, context);
  if (!map) return Report(map.takeError());
  return driver::ReportWidth(
      *map, {options.width, options.signedness(), options.steps, options.json}, *decide);
}

}  // namespace

void AddWidth(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("width", "Decide in how many bits a map can be evaluated without overflow");
  verb.Option("MAP", options->map,
              "A map text, a file that holds one map (or HLO, with --kernels), or -");
  verb.Option("--width", options->width, "Decide this width; default: find the narrowest")
      .Within(1, kMaxIndexWidth);
  verb.Flag("--unsigned", options->is_unsigned, "Read the bits as unsigned integers");
  verb.Flag("--steps", options->steps, "Also print the machine operations");
  verb.Flag("--kernels", options->kernels,
            "MAP is a file with HLO: how many bits index has in each kernel");
  verb.Flag("--rfc", options->rfc,
            "Decide the rewrites of index_cast and index_castui, with and without exact");
  verb.Flag("--json", options->json, "Print JSON");
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm width --width 32 '(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, "
      "16777216]'\n"
      "  i32 signed: refuted (enumeration, 0.1 ms)\n"
      "    mul: bl * 128 = 2147483648 at th = 0, bl = 16777216; in i32: -2147483648");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
