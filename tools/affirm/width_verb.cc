// affirm width: can a map be evaluated in integers of so many bits?
#include "core/symbolic/error.h"
#include "driver/first_error.h"
#include "driver/reports/cast_rewrites.h"
#include "driver/reports/width.h"
#include "driver/shell_command.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"
#include "verify/width/width.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string map;
  unsigned width = 0;  // 0: find the narrowest
  bool is_unsigned = false, steps = false, kernels = false, rfc = false;
  ReportFlags report;
  DecideFlags decide;

  Signedness signedness() const {
    return is_unsigned ? Signedness::kUnsigned : Signedness::kSigned;
  }
};

llvm::Error CheckUsage(const Options& options) {
  if (options.rfc == options.map.empty()) return llvm::Error::success();
  return MakeError(options.rfc ? "width: --rfc takes no MAP" : "width: MAP is required");
}

int Decide(const Options& options, const DecideOptions& decide, driver::RunReport& report) {
  const driver::ReportOutput output = options.report.output();
  if (options.rfc) return driver::ReportCasts(output, decide, report);
  if (options.kernels)
    return driver::ReportKernelWidths({options.map, options.width, output}, report);
  Context context;
  auto map = ReadMap(options.map, context);
  if (!map) return Report(map.takeError());
  return driver::ReportWidth(*map, {options.width, options.signedness(), options.steps, output},
                             decide, report);
}

// For standard input, the map as it was read.
std::string ReplayOf(const Options& options, const driver::ReportRecord& record) {
  std::string replay = "affirm width";
  if (options.width > 0) replay += " --width " + std::to_string(options.width);
  if (options.is_unsigned) replay += " --unsigned";
  if (options.kernels) replay += " --kernels";
  if (options.rfc) return replay + " --rfc";
  const bool is_read = options.map == "-" && !options.kernels;
  return replay + " " + driver::ShellQuoted(is_read ? record.aspect : options.map);
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  if (llvm::Error error = CheckUsage(options)) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  driver::RunReport report{.verb = "width",
                           .file = options.rfc ? "index casts" : options.map,
                           .headline = options.rfc ? "rewrites of index casts" : options.map};
  if (options.kernels) report.asked = "--kernels --width " + std::to_string(options.width);
  const int status = Decide(options, *decide, report);
  // Nothing was decided.
  if (status == kBadInput && report.records.empty()) return kBadInput;
  double ms = 0;
  for (driver::ReportRecord& record : report.records) {
    record.replay = ReplayOf(options, record);
    ms += record.ms;
  }
  const int64_t proved = report.Count(Verdict::kProved);
  report.coverage.push_back(
      {options.rfc       ? "rewrites"
       : options.kernels ? "kernels"
                         : "maps",
       std::to_string(proved) + " of " + std::to_string(report.records.size()) + " are proved",
       ms});
  report.bad_input = status == kBadInput;
  if (report.bad_input) {
    driver::RunReport refused =
        driver::BadInputReport("width", report.file, driver::FirstReported());
    llvm::append_range(report.records, refused.records);
  }
  report.outcome = driver::OutcomeOf(report);
  report.verdict = Name(report.outcome);
  report.verdict_line = (report.bad_input ? "bad input; of the others: " : "") + report.verdict;
  options.report.Compare(report);
  return Worse(status, options.report.Finish({std::move(report)}));
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
  options->report.AddTo(verb);
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm width --width 32 '(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, "
      "16777216]'\n"
      "  i32 signed: refuted (enumeration, 0.1 ms)\n"
      "    mul: bl * 128 = 2147483648 at th = 0, bl = 16777216; in i32: -2147483648");
  verb.Run([options] { return options->report.Complete("width", Run(*options)); });
}

}  // namespace affirm::cli
