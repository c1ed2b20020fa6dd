// The maps of an emitter as JSON and for people.
#include "driver/dump/emitter_maps.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace affirm::driver {

namespace {

// "4 proved, 1 unknown"
template <typename Rows>
std::string CountsOf(const Rows& rows) {
  std::vector<std::string> parts;
  for (Verdict verdict : {Verdict::kProved, Verdict::kUnknown, Verdict::kRefuted}) {
    const auto count =
        llvm::count_if(rows, [&](const auto& row) { return row.verdict == verdict; });
    if (count > 0) parts.push_back(std::to_string(count) + " " + Name(verdict));
  }
  return llvm::join(parts, ", ");
}

void WriteClaims(llvm::json::OStream& json, llvm::StringRef name,
                 const std::vector<EmitterClaim>& claims) {
  WriteRows(json, name, claims, [&](const EmitterClaim& claim) {
    json.attribute("claim", JsonText(claim.what));
    json.attribute("verdict", Name(claim.verdict));
    if (claim.as_sets) json.attribute("as_sets", true);
    if (!claim.reason.empty()) json.attribute("reason", JsonText(claim.reason));
    if (!claim.counterexample.empty())
      json.attribute("counterexample", JsonText(claim.counterexample));
  });
}

void PrintClaim(llvm::raw_ostream& os, llvm::StringRef of, const EmitterClaim& claim) {
  os << "    " << of << ": " << claim.what << " " << Name(claim.verdict);
  if (claim.verdict == Verdict::kProved && claim.as_sets) os << " (as sets of a thread)";
  if (!claim.reason.empty()) os << "  " << claim.reason;
  if (!claim.counterexample.empty()) os << "  " << claim.counterexample;
  os << "\n";
}

}  // namespace

void WriteJson(llvm::json::OStream& json, const EmitterLog& log, const std::string& module) {
  json.object([&] {
    json.attribute("module", JsonText(module));
    json.attribute("kernel", JsonText(log.kernel));
    json.attribute("file", JsonText(log.path));
    if (!log.reason.empty()) json.attribute("reason", JsonText(log.reason));
    json.attribute("dumps", log.dumps);
    json.attribute("dumps_read", log.dumps_read);
    if (!log.reason_of_rest.empty()) json.attribute("reason_of_rest", JsonText(log.reason_of_rest));
    WriteRows(json, "passes", log.passes, [&](const EmitterPass& pass) {
      json.attribute("name", JsonText(pass.pass));
      if (!pass.operation.empty()) json.attribute("operation", JsonText(pass.operation));
      json.attribute("before", pass.before);
      json.attribute("after", pass.after);
      json.attribute("verdict", Name(pass.verdict));
      WriteClaims(json, "claims", pass.claims);
    });
    WriteClaims(json, "thread_maps", log.thread_maps);
    WriteClaims(json, "operand_maps", log.operand_maps);
    WriteValues(json, "not_followed", log.not_followed);
  });
}

void PrintEmitterLog(llvm::raw_ostream& os, const EmitterLog& log, bool verbose) {
  os << "  emitter of " << log.kernel << ": ";
  if (log.dumps_read == 0) {
    os << "unknown  " << (log.reason.empty() ? log.reason_of_rest : log.reason) << "\n";
    return;
  }
  os << log.passes.size() << " passes change maps";
  if (!log.passes.empty()) os << " (" << CountsOf(log.passes) << ")";
  if (!log.thread_maps.empty()) os << "; thread maps " << CountsOf(log.thread_maps);
  if (!log.operand_maps.empty()) os << "; operand maps " << CountsOf(log.operand_maps);
  os << "\n";
  auto told = [&](const EmitterClaim& claim) {
    return verbose || claim.verdict == Verdict::kRefuted;
  };
  for (const EmitterClaim& claim : log.thread_maps) {
    if (told(claim)) PrintClaim(os, "thread map", claim);
  }
  for (const EmitterClaim& claim : log.operand_maps) {
    if (told(claim)) PrintClaim(os, "operand map", claim);
  }
  for (const EmitterPass& pass : log.passes) {
    for (const EmitterClaim& claim : pass.claims) {
      if (!told(claim)) continue;
      PrintClaim(os,
                 "pass " + pass.pass + " (lines " + std::to_string(pass.before) + " and " +
                     std::to_string(pass.after) + ")",
                 claim);
    }
  }
  if (!verbose) return;
  for (const std::string& what : log.not_followed) os << "    not followed: " << what << "\n";
  if (log.dumps_read < log.dumps)
    os << "    not compared: the last " << log.dumps - log.dumps_read << " of " << log.dumps
       << " dumps, " << log.reason_of_rest << "\n";
}

}  // namespace affirm::driver
