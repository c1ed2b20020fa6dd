// The parts of the driver that every verb of the command line uses: exit statuses, input, errors,
// progress.
#ifndef AFFIRM_TOOLS_AFFIRM_CLI_H_
#define AFFIRM_TOOLS_AFFIRM_CLI_H_

#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/progress.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::cli {

using driver::ErrorAt;
using driver::Fixed;
using driver::JsonText;
using driver::kBadInput;
using driver::kDifferent;
using driver::kSuccess;
using driver::kUnknown;
using driver::MessageOf;
using driver::ParseMaps;
using driver::PrintJsonObject;
using driver::Progress;
using driver::ReadExpandedModules;
using driver::ReadInput;
using driver::ReadMap;
using driver::ReadModules;
using driver::Report;
using driver::UnknownOpcodes;
using driver::Worse;
using driver::WriteCounterexample;
using driver::WriteFixed;
using driver::WriteRows;
using driver::WriteValues;

// The status of a verb that is done, once its output is written: kBadInput, with an error, where it
// cannot be (a full disk).
int Written(int status);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_CLI_H_
