#include "driver/explore/kernel_json.h"

#include <map>
#include <set>

#include "core/hlo/shape.h"
#include "driver/errors.h"
#include "driver/explore/kernel_source.h"
#include "driver/explore/map_json.h"
#include "driver/json_text.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/lift/accesses.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

Array ParamsJson(const kernel::Launch& launch) {
  Array params;
  for (const kernel::Param& param : launch.params) {
    params.push_back(Object{{"name", JsonText(param.name)},
                            {"shape", JsonText(param.shape.ToString())},
                            {"dims", Array(param.shape.dims)},
                            {"minor_to_major", Array(param.shape.MinorToMajor())},
                            {"bits", IsPacked(param) ? hlo::BitWidth(param.shape.type)
                                                     : 8 * hlo::ByteWidth(param.shape.type)},
                            {"bytes", param.bytes},
                            {"role", param.role == kernel::Param::kInput ? "operand" : "result"},
                            {"memory", param.memory}});
  }
  return params;
}

// The parameter that an access is of: where an operand is updated in place, the result if it
// writes.
int64_t ParamOf(const kernel::CountedAccess& access, const kernel::Launch& launch) {
  int64_t found = access.buffer;
  for (size_t k = static_cast<size_t>(found); k < launch.params.size(); ++k) {
    const bool is_same = launch.params[k].memory == launch.params[access.buffer].memory;
    if (is_same && access.is_write && launch.params[k].role == kernel::Param::kOutput)
      found = static_cast<int64_t>(k);
  }
  return found;
}

Object CountJson(const kernel::CountedAccess& access) {
  const kernel::AccessCount& c = access.count;
  if (!access.unknown.empty()) {
    Object json{{"unknown", JsonText(access.unknown)}};
    if (!access.bounds) return json;
    const kernel::AccessBounds& b = *access.bounds;
    json["accesses"] = Array{b.least_accesses, b.most_accesses};
    json["sectors"] = Array{b.least_sectors, b.most_sectors};
    json["max_sectors"] = b.max_sectors;
    return json;
  }
  if (access.is_shared) {
    return Object{{"accesses", c.accesses},
                  {"wavefronts", c.wavefronts},
                  {"ideal_wavefronts", c.ideal_wavefronts},
                  {"max_wavefronts", c.max_wavefronts}};
  }
  return Object{{"accesses", c.accesses},
                {"sectors", c.sectors},
                {"ideal_sectors", c.ideal_sectors},
                {"max_sectors", c.max_sectors}};
}

std::string TextOf(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream os(text);
  instruction.print(os);
  return llvm::StringRef(text).trim().str();
}

class AccessLister {
 public:
  AccessLister(const kernel::LiftedKernel& lifted, const kernel::Launch& launch)
      : lifted_(lifted), launch_(launch) {}

  void Write(Object& json, KernelBudget& budget) {
    kernel::AccessCounts counts = kernel::CountAccesses(lifted_, launch_);
    Array groups;
    for (const kernel::CountedAccess& access : counts.instructions) {
      numbers_.try_emplace({access.line, access.is_shared}, static_cast<int64_t>(groups.size()));
      groups.push_back(GroupJson(access));
    }
    json["groups"] = std::move(groups);
    json["blocks_counted"] = counts.blocks;
    int64_t accesses = 0;
    for (const kernel::LiftedCase& one : lifted_.cases)
      accesses += static_cast<int64_t>(one.accesses.size());
    if (accesses > budget.accesses) {
      json["note"] =
          "The single accesses of this kernel (" + std::to_string(accesses) +
          ") are left out, so that the page stays small. Its counts are those of all blocks.";
      return;
    }
    budget.accesses -= accesses;
    Array cases;
    for (const kernel::LiftedCase& one : lifted_.cases) cases.push_back(CaseJson(one));
    json["cases"] = std::move(cases);
    json["terms"] = pool_.Take();
  }

  // The lines of the groups, after Write.
  std::set<int64_t> Lines() const {
    std::set<int64_t> lines;
    for (const auto& [access, number] : numbers_) lines.insert(access.first);
    return lines;
  }

 private:
  // The instruction's text and its guard, as the first access has them.
  Object GroupJson(const kernel::CountedAccess& access) {
    Object json{{"line", access.line},
                {"shared", access.is_shared},
                {"write", access.is_write},
                {"bytes", access.bytes},
                {"count", CountJson(access)}};
    if (!access.is_shared) json["param"] = ParamOf(access, launch_);
    for (const kernel::LiftedCase& one : lifted_.cases) {
      for (const kernel::MemoryAccess& first : one.accesses) {
        if (first.line != access.line || first.is_shared != access.is_shared) continue;
        json["text"] = JsonText(TextOf(*first.instruction));
        json["address"] = JsonText(terms::ToString(first.offset, 400));
        json["guard"] = JsonText(terms::ToString(first.guard, 400));
        json["thread"] = first.thread;
        return json;
      }
    }
    return json;
  }

  Object CaseJson(const kernel::LiftedCase& one) {
    Array facts, accesses;
    for (terms::Term fact : one.facts) facts.push_back(pool_.Add(fact));
    for (const kernel::MemoryAccess& access : one.accesses) {
      accesses.push_back(Array{numbers_.at({access.line, access.is_shared}), access.thread,
                               access.memory, pool_.Add(access.offset), access.bytes,
                               pool_.Add(access.guard)});
    }
    return Object{{"facts", std::move(facts)}, {"accesses", std::move(accesses)}};
  }

  const kernel::LiftedKernel& lifted_;
  const kernel::Launch& launch_;
  TermPool pool_;
  std::map<std::pair<int, bool>, int64_t> numbers_;
};

}  // namespace

Object KernelJson(const KernelText& kernel, const kernel::Launch& launch, KernelBudget& budget) {
  Object json{{"grid", Array{launch.grid[0], launch.grid[1], launch.grid[2]}},
              {"threads", Array{launch.threads[0], launch.threads[1], launch.threads[2]}},
              {"params", ParamsJson(launch)}};
  const kernel::WarpModel model;
  json["model"] = Object{{"lanes", model.lanes},
                         {"sector_bytes", model.sector_bytes},
                         {"banks", model.banks},
                         {"bank_bytes", model.bank_bytes}};
  terms::Pool pool;
  auto lifted = kernel::Lift(kernel.ir, launch, pool, {.list_accesses = true});
  if (!lifted) {
    json["note"] =
        JsonText("What the threads touch is not known: " + MessageOf(lifted.takeError()));
    AddSource(kernel, {}, budget, json);
    return json;
  }
  AccessLister lister(*lifted, launch);
  lister.Write(json, budget);
  AddSource(kernel, lister.Lines(), budget, json);
  return json;
}

Array ClaimsJson(const kernel::KernelProof& proof) {
  Array claims;
  for (kernel::Claim claim : kernel::kClaims) {
    const kernel::ClaimProof& of = proof.Of(claim);
    Object json{{"claim", kernel::Name(claim)},
                {"verdict", affirm::Name(of.verdict)},
                {"engine", JsonText(of.engine)}};
    if (!of.reason.empty()) json["reason"] = JsonText(of.reason);
    claims.push_back(std::move(json));
  }
  return claims;
}

Array ClaimsJson(const Validation& validation) {
  Array claims;
  for (const ClaimResult& claim : validation.claims) {
    Object json{{"claim", kernel::Name(claim.claim)},
                {"verdict", Name(claim.verdict)},
                {"engine", JsonText(claim.engine)}};
    if (!claim.reason.empty()) json["reason"] = JsonText(claim.reason);
    if (claim.counterexample) {
      const KernelCounterexample& example = *claim.counterexample;
      json["counterexample"] = Object{{"block", example.block},
                                      {"thread", example.thread},
                                      {"buffer", JsonText(example.buffer)},
                                      {"element", example.element},
                                      {"expected", JsonText(example.expected)},
                                      {"actual", JsonText(example.actual)},
                                      {"line", example.line},
                                      {"instruction", JsonText(example.instruction)}};
    }
    claims.push_back(std::move(json));
  }
  return claims;
}

}  // namespace affirm::driver
