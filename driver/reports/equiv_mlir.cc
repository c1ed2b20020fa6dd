// affirm equiv --mlir: the maps of MLIR files, and of the dumps around passes.
#include <utility>

#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/parallel.h"
#include "driver/reports/equiv.h"
#include "driver/reports/mlir_maps.h"
#include "driver/shell_command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

struct Side {
  std::string file;
  MlirMap map;
  std::string Where() const {
    return file + ":" + std::to_string(map.line) + ":" + std::to_string(map.column);
  }
};

struct Pair {
  std::string pass;  // empty: two files
  Side lhs, rhs;
  std::string problem;  // why there is nothing to compare
};

struct PairOutcome {
  std::string text, error;
  int status = kSuccess;
  ReportRecord record = {};
  std::string file = {};  // of the error
};

// Maps are paired in order; where the numbers differ, nothing says which belongs to which.
void AddPairs(const std::string& pass, const std::string& lhs_file, const std::string& rhs_file,
              const std::vector<MlirMap>& lhs, const std::vector<MlirMap>& rhs,
              std::vector<Pair>& pairs) {
  if (lhs.size() != rhs.size()) {
    pairs.push_back({pass,
                     {lhs_file, lhs.empty() ? MlirMap() : lhs.front()},
                     {rhs_file, rhs.empty() ? MlirMap() : rhs.front()},
                     std::to_string(lhs.size()) + " maps against " + std::to_string(rhs.size()) +
                         ": they cannot be paired"});
    return;
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    pairs.push_back({pass, {lhs_file, lhs[i]}, {rhs_file, rhs[i]}, ""});
  }
}

llvm::Expected<std::vector<Pair>> FindPairs(const std::vector<std::string>& files) {
  std::vector<Pair> pairs;
  std::vector<Input> inputs;
  for (const std::string& file : files) {
    auto input = ReadInput(file, "MLIR");
    if (!input) return input.takeError();
    inputs.push_back(std::move(*input));
  }
  if (inputs.size() == 2) {
    auto lhs = FindMlirMaps(inputs[0].text, inputs[0].name);
    if (!lhs) return lhs.takeError();
    auto rhs = FindMlirMaps(inputs[1].text, inputs[1].name);
    if (!rhs) return rhs.takeError();
    AddPairs("", inputs[0].name, inputs[1].name, *lhs, *rhs, pairs);
  } else if (inputs.size() == 1) {
    const std::string& name = inputs[0].name;
    for (const PassMaps& pass : FindPassMaps(inputs[0].text, name)) {
      if (pass.problem.empty()) {
        AddPairs(pass.pass, name, name, pass.before, pass.after, pairs);
      } else {
        pairs.push_back({pass.pass, {name, MlirMap()}, {name, MlirMap()}, pass.problem});
      }
    }
  } else {
    return MakeError("equiv --mlir: expected two files, or one dump of passes, found " +
                     llvm::Twine(inputs.size()) + " files");
  }
  if (pairs.empty()) {
    return MakeError(inputs[0].name +
                     ":1:1: error: holds no maps to compare, expected #xla.indexing_map attributes "
                     "or affine_map" +
                     (inputs.size() == 1 ? " in dumps before and after passes" : ""));
  }
  return pairs;
}

std::string TextOf(const MlirMap& map) {
  return map.kind == MlirMap::Kind::kAffineMap ? "affine_map<" + map.text + ">" : map.text;
}

PairOutcome Compare(const Pair& pair, const EquivQuery& query, ReportOutput output) {
  MapProofResult answer;
  Context context;
  IndexingMap lhs;
  std::string reading;
  std::string subject = pair.lhs.Where() + " and " + pair.rhs.Where();
  if (!pair.pass.empty()) subject += ", " + pair.pass;
  if (!pair.problem.empty()) {
    answer.reason = pair.problem;
  } else {
    auto maps = ReadMlirPair(pair.lhs.map, pair.lhs.file, pair.rhs.map, pair.rhs.file, context);
    if (!maps) return {"", MessageOf(maps.takeError()), kBadInput, {}, pair.rhs.file};
    lhs = maps->a;
    reading = maps->reading;
    answer = query.Ask(maps->a, maps->b);
    if (llvm::Error error = WriteCertificate(query, subject, answer, maps->a, maps->b))
      return {"", MessageOf(std::move(error)), kBadInput, {}, pair.rhs.file};
  }
  int status = StatusOf(answer.verdict);
  // Lines move, so that a baseline tells pairs apart by their files and what they say.
  const std::string files =
      pair.lhs.file + (pair.lhs.file == pair.rhs.file ? "" : " and " + pair.rhs.file);
  ReportRecord record = RecordOf(query.relation, answer, lhs, files,
                                 {pair.rhs.file, pair.rhs.map.line, pair.rhs.map.column});
  record.scope = pair.pass;
  if (pair.problem.empty()) record.aspect = TextOf(pair.lhs.map) + " and " + TextOf(pair.rhs.map);
  if (pair.problem.empty()) {
    record.replay = "affirm equiv --relation " + query.relation + " --map-a " +
                    ShellQuoted(TextOf(pair.lhs.map)) + " --map-b " +
                    ShellQuoted(TextOf(pair.rhs.map));
  }
  if (output == ReportOutput::kNothing) return {"", "", status, std::move(record)};
  if (output == ReportOutput::kJson) {
    llvm::json::Object id{{"lhs", JsonText(pair.lhs.Where())}, {"rhs", JsonText(pair.rhs.Where())}};
    if (!pair.pass.empty()) id["pass"] = JsonText(pair.pass);
    return {AnswerLine(std::move(id), query, answer, 0, reading), "", status, std::move(record)};
  }
  std::string text = subject;
  text += std::string(": ") + query.VerdictName(answer.verdict) + " (" + Name(answer.engine) +
          ", " + Fixed(answer.ms, 1) + " ms)\n";
  if (!reading.empty()) text += "  " + reading + "\n";
  if (answer.counterexample) text += "  " + answer.counterexample->ToString(lhs) + "\n";
  if (answer.verdict == Verdict::kUnknown) text += "  " + answer.reason + "\n";
  return {std::move(text), "", status, std::move(record)};
}

}  // namespace

int EquivMlir(const EquivQuery& query, const std::vector<std::string>& files, ReportOutput output,
              const OnPair& on_pair) {
  auto refuse = [&](const std::string& file, const std::string& error) {
    on_pair(std::move(BadInputReport("equiv", file, error).records.front()));
    return Report(MakeError(error));
  };
  auto pairs = FindPairs(files);
  if (!pairs) return refuse(llvm::join(files, " and "), MessageOf(pairs.takeError()));
  int status = kSuccess;
  OrderedParallelFor<PairOutcome>(
      query.jobs, static_cast<int64_t>(pairs->size()),
      [&](int64_t i) { return Compare((*pairs)[i], query, output); },
      [&](PairOutcome& outcome) {
        llvm::outs() << outcome.text;
        if (!outcome.error.empty()) {
          refuse(outcome.file, outcome.error);
        } else {
          on_pair(std::move(outcome.record));
        }
        status = Worse(status, outcome.status);
      });
  return status;
}

}  // namespace affirm::driver
