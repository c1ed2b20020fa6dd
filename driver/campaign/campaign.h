// A campaign of `affirm fuzz`: many random inputs of one kind, the crash buckets that they fall
// into, and reports that merge.
//
//   auto target = MakeHloTarget(limits, seed);
//   CampaignReport report = RunCampaign(*target, {.target = "hlo", .seed = 7, .runs = 500});
#ifndef AFFIRM_DRIVER_CAMPAIGN_CAMPAIGN_H_
#define AFFIRM_DRIVER_CAMPAIGN_CAMPAIGN_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "driver/campaign/fuzz_target.h"
#include "driver/report_model/run_report.h"
#include "driver/shard.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

struct CampaignOptions {
  std::string target;
  uint64_t seed = 0, first = 0, runs = 100;
  int64_t max_seconds = 0;   // on the clock; 0: no limit
  int64_t max_findings = 0;  // findings, crashes and hangs; 0: no limit
  Shard shard;               // of the inputs, by number
  std::string out;           // where findings are written
  bool reduce = true;
  // Options of the command that the inputs, or what is claimed of them, depend on, as " --ops add".
  std::string asked = {};
};

// Inputs that failed alike: a crash bucket.
struct Bucket {
  Outcome::Kind kind = Outcome::Kind::kFine;
  int64_t count = 0;
  uint64_t first = 0;  // the number of the first of them
  std::string text;    // what is wrong with the first of them, once it was reduced
  std::string file;    // it, reduced; empty when it was not written
};

struct CampaignReport {
  std::string target;
  std::string asked;  // as of the options
  uint64_t seed = 0;
  int64_t runs = 0, fine = 0;
  std::map<std::pair<Outcome::Kind, std::string>, Bucket> buckets;  // by kind and name
  std::map<std::string, int64_t> notes = {};  // of how many inputs each of their notes was made

  int64_t Count(Outcome::Kind kind) const;
  // Executed where no run found anything: a campaign proves nothing.
  Verdict outcome() const;
  int status() const;  // exit status: 1 when there are findings, crashes or hangs, 2 for unknowns
  // "affirm fuzz hlo --seed 7 --first 3 --runs 1"
  std::string ReplayOf(const Bucket& bucket) const;
};

// The choices of input number `index` of a seed.
std::vector<uint8_t> BytesOf(uint64_t seed, uint64_t index);

CampaignReport RunCampaign(FuzzTarget& target, const CampaignOptions& options);

// The same text for the same report, whatever the machine.
void PrintReport(const CampaignReport& report, llvm::raw_ostream& os);
// The model of all output formats (driver/report_model).
RunReport ToRunReport(const CampaignReport& report);
llvm::json::Value ToJson(const CampaignReport& report);
llvm::Expected<CampaignReport> CampaignFromJson(const llvm::json::Object& object);
// Adds what another run of the same target found.
llvm::Error Merge(CampaignReport& report, const CampaignReport& other);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_CAMPAIGN_H_
