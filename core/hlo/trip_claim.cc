#include "core/hlo/trip_claim.h"

#include <array>

#include "core/symbolic/bounded_json.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {

namespace {

constexpr std::array<llvm::StringLiteral, 3> kClaims = {"known_trip_count", "known_init_step",
                                                        "known_induction_variable"};

}  // namespace

std::optional<llvm::json::Object> LoopConfig(const Instruction& loop) {
  const std::string* text = loop.attributes.FindExtra("backend_config");
  if (text == nullptr) return std::nullopt;
  llvm::Expected<llvm::json::Value> value = ParseJson(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* object = value->getAsObject();
  return object == nullptr ? std::nullopt : std::optional(*object);
}

std::optional<int64_t> NumberIn(const llvm::json::Object& object, llvm::StringRef key) {
  if (std::optional<int64_t> number = object.getInteger(key)) return number;
  const std::optional<llvm::StringRef> text = object.getString(key);
  int64_t number = 0;
  if (!text || text->getAsInteger(10, number)) return std::nullopt;
  return number;
}

std::optional<int64_t> ClaimedTrips(const Instruction& loop) {
  const std::optional<llvm::json::Object> config = LoopConfig(loop);
  const llvm::json::Object* trips = config ? config->getObject("known_trip_count") : nullptr;
  return trips ? NumberIn(*trips, "n") : std::nullopt;
}

std::string TripClaim(const Instruction& loop) {
  const std::string* text = loop.attributes.FindExtra("backend_config");
  if (text == nullptr) return "";
  const std::optional<llvm::json::Object> config = LoopConfig(loop);
  if (!config) return *text;
  llvm::json::Object claims;
  for (const llvm::StringRef key : kClaims) {
    if (const llvm::json::Value* value = config->get(key)) claims[key] = *value;
  }
  if (claims.empty()) return "";
  std::string claim;
  llvm::raw_string_ostream(claim) << llvm::json::Value(std::move(claims));
  return claim;
}

}  // namespace affirm::hlo
