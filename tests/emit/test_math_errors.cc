// How far mathematical functions are from the truth: the device's (libclc's code for PTX, compiled
// for this computer with the same options) and the host's (libm), against x87's 64-bit
// significands. AFFIRM_MATH_SAMPLES sets the number of inputs of each function;
// `--gtest_filter=*Table*` prints docs/math.md's table.
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <map>

#include "emit/codegen.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace affirm::testing {
namespace {

using Real = long double;

struct Function {
  const char* name;  // in C and in OpenCL C
  hlo::Opcode opcode;
  Real (*exact)(Real x, Real y);
  float (*host32)(float x, float y);
  double (*host64)(double x, double y);
  bool binary = false;
};

#define UNARY(name, opcode)                                             \
  {#name, hlo::Opcode::opcode, [](Real x, Real) { return name##l(x); }, \
   [](float x, float) { return name##f(x); }, [](double x, double) { return name(x); }}
#define BINARY(name, opcode)                       \
  {#name,                                          \
   hlo::Opcode::opcode,                            \
   [](Real x, Real y) { return name##l(x, y); },   \
   [](float x, float y) { return name##f(x, y); }, \
   [](double x, double y) { return name(x, y); },  \
   true}

const Function kFunctions[] = {
    UNARY(acos, kAcos),   UNARY(acosh, kAcosh),      UNARY(asin, kAsin),
    UNARY(asinh, kAsinh), UNARY(atanh, kAtanh),      BINARY(atan2, kAtan2),
    UNARY(cbrt, kCbrt),   UNARY(cos, kCosine),       UNARY(cosh, kCosh),
    UNARY(erf, kErf),     UNARY(exp, kExponential),  UNARY(expm1, kExponentialMinusOne),
    UNARY(log, kLog),     UNARY(log1p, kLogPlusOne), BINARY(pow, kPower),
    UNARY(sin, kSine),    UNARY(sinh, kSinh),        UNARY(tan, kTan),
    UNARY(tanh, kTanh),   BINARY(fmod, kRemainder),
};

#undef UNARY
#undef BINARY

// y of functions of one argument is ignored.
template <typename T>
using Loop = void (*)(const T* x, const T* y, T* out, int64_t n);

// For each function and type a loop that calls the device's code, in one module.
class DeviceFunctions {
 public:
  llvm::Error Compile() {
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("math", *context);
    auto machine = emit::MakeTargetMachine(emit::Target::kHost);
    if (!machine) return machine.takeError();
    module->setTargetTriple((*machine)->getTargetTriple());
    module->setDataLayout((*machine)->createDataLayout());
    for (const Function& function : kFunctions) {
      for (bool wide : {false, true}) AddLoop(*module, function, wide);
    }
    if (llvm::Error error = emit::LinkDeviceMath(*module, emit::Target::kNvptx)) return error;
    if (llvm::Error error = TakeDeviceConversions(*module)) return error;
    emit::Optimise(*module, **machine);
    using Compiler = llvm::orc::IRCompileLayer::IRCompiler;
    llvm::orc::JITTargetMachineBuilder builder((*machine)->getTargetTriple());
    auto jit =
        llvm::orc::LLJITBuilder()
            .setJITTargetMachineBuilder(builder)
            .setDataLayout((*machine)->createDataLayout())
            .setCompileFunctionCreator([&](llvm::orc::JITTargetMachineBuilder)
                                           -> llvm::Expected<std::unique_ptr<Compiler>> {
              return std::make_unique<llvm::orc::TMOwningSimpleCompiler>(std::move(*machine));
            })
            .create();
    if (!jit) return jit.takeError();
    jit_ = std::move(*jit);
    return jit_->addIRModule({std::move(module), std::move(context)});
  }

  template <typename T>
  Loop<T> Find(const Function& function) {
    auto address = llvm::cantFail(jit_->lookup(LoopName(function, sizeof(T) == 8)));
    return address.toPtr<Loop<T>>();
  }

 private:
  static std::string LoopName(const Function& function, bool wide) {
    return std::string("loop_") + function.name + (wide ? "_f64" : "_f32");
  }

  // What an integer that is too large becomes, LLVM leaves open; PTX's conversions saturate, and
  // some functions look up tables with such numbers before they choose another result.
  static llvm::Error TakeDeviceConversions(llvm::Module& module) {
    llvm::SmallVector<llvm::Instruction*> conversions;
    for (llvm::Function& function : module) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) {
          conversions.push_back(&instruction);
        }
        const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (!call || !call->getCalledFunction()->getName().starts_with("llvm.nvvm")) continue;
        return llvm::createStringError(call->getCalledFunction()->getName() + " needs a device");
      }
    }
    for (llvm::Instruction* conversion : conversions) {
      llvm::IRBuilder<> b(conversion);
      bool is_signed = llvm::isa<llvm::FPToSIInst>(conversion);
      llvm::Value* from = conversion->getOperand(0);
      conversion->replaceAllUsesWith(
          b.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                            {conversion->getType(), from->getType()}, {from}));
      conversion->eraseFromParent();
    }
    return llvm::Error::success();
  }

  static void AddLoop(llvm::Module& module, const Function& function, bool wide) {
    llvm::IRBuilder<> b(module.getContext());
    llvm::Type* type = wide ? b.getDoubleTy() : b.getFloatTy();
    std::string name = function.name, suffix = wide ? "d" : "f";
    std::string mangled = "_Z" + std::to_string(name.size()) + name + suffix;
    llvm::SmallVector<llvm::Type*> arguments(function.binary ? 2 : 1, type);
    if (function.binary) mangled += suffix;
    auto callee =
        module.getOrInsertFunction(mangled, llvm::FunctionType::get(type, arguments, false));
    auto* pointer = b.getPtrTy();
    auto* loop = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()}, false),
        llvm::Function::ExternalLinkage, LoopName(function, wide), module);
    auto* entry = llvm::BasicBlock::Create(module.getContext(), "", loop);
    auto* body = llvm::BasicBlock::Create(module.getContext(), "", loop);
    auto* end = llvm::BasicBlock::Create(module.getContext(), "", loop);
    b.SetInsertPoint(entry);
    b.CreateBr(body);
    b.SetInsertPoint(body);
    llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
    llvm::SmallVector<llvm::Value*> values;
    for (unsigned k = 0; k < arguments.size(); ++k) {
      values.push_back(b.CreateLoad(type, b.CreateGEP(type, loop->getArg(k), i)));
    }
    b.CreateStore(b.CreateCall(callee, values), b.CreateGEP(type, loop->getArg(2), i));
    llvm::Value* next = b.CreateAdd(i, b.getInt64(1));
    i->addIncoming(b.getInt64(0), entry);
    i->addIncoming(next, body);
    b.CreateCondBr(b.CreateICmpSLT(next, loop->getArg(3)), body, end);
    b.SetInsertPoint(end);
    b.CreateRetVoid();
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

int64_t Samples() {
  const char* text = std::getenv("AFFIRM_MATH_SAMPLES");
  return text ? std::atoll(text) : 20000;
}

uint64_t Mix(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

template <typename T>
std::vector<T> Specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.25),
                           T(0.5),
                           1,
                           T(1.5),
                           2,
                           3,
                           10,
                           22,
                           88,
                           89,
                           104,
                           709,
                           710,
                           745,
                           T(1e5),
                           T(1e9),
                           T(1e22),
                           T(M_PI),
                           T(M_PI_2),
                           T(M_PI_4),
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::epsilon()};
  size_t count = values.size();
  for (size_t i = 0; i < count; ++i) {
    values.push_back(std::nextafter(values[i], Limits::infinity()));
    values.push_back(std::nextafter(values[i], T(0)));
  }
  count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

// Evenly over all patterns, evenly over exponents near 1, and the specials (pairs of them for two
// arguments).
template <typename T>
std::pair<std::vector<T>, std::vector<T>> Inputs(bool binary, int64_t samples) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  uint64_t state = 1;
  auto any = [&] { return std::bit_cast<T>(static_cast<Bits>(Mix(state))); };
  auto near_one = [&] {
    auto u = static_cast<T>(static_cast<double>(Mix(state) >> 11) * 0x1p-53);
    auto exponent = static_cast<int>(Mix(state) % 40) - 30;
    return std::ldexp((Mix(state) & 1 ? 1 : -1) * (1 + u), exponent);
  };
  std::vector<T> x, y, specials = Specials<T>();
  for (T a : specials) {
    for (T b : specials) {
      x.push_back(a);
      y.push_back(b);
      if (!binary) break;
    }
  }
  for (int64_t i = 0; i < samples; ++i) {
    x.push_back(i % 2 ? any() : near_one());
    y.push_back(i % 4 < 2 ? near_one() : any());
  }
  return {x, y};
}

// The distance in units in the last place of the exact value; infinite when one is a NaN or an
// infinity and the other isn't. What the type rounds to infinity is that.
template <typename T>
double Error(T computed, Real exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(computed)) {
    return std::isnan(rounded) == std::isnan(computed) ? 0 : HUGE_VAL;
  }
  if (std::isinf(rounded) || std::isinf(computed)) return rounded == computed ? 0 : HUGE_VAL;
  using Limits = std::numeric_limits<T>;
  int exponent = exact == 0 ? Limits::min_exponent - 1 : std::ilogb(exact);
  exponent = std::max(exponent, Limits::min_exponent - 1);
  Real unit = std::ldexp(Real(1), exponent - Limits::digits + 1);
  return static_cast<double>(std::fabs(static_cast<Real>(computed) - exact) / unit);
}

struct Worst {
  double error = 0;
  double x = 0, y = 0;
  void Note(double e, double at, double with) {
    if (e > error) *this = {e, at, with};
  }
};

template <typename T>
std::pair<Worst, Worst> HostAndDevice(const Function& function, DeviceFunctions& device) {
  auto [x, y] = Inputs<T>(function.binary, Samples());
  std::vector<T> out(x.size());
  device.Find<T>(function)(x.data(), y.data(), out.data(), std::ssize(x));
  Worst host_worst, device_worst;
  for (size_t i = 0; i < x.size(); ++i) {
    Real exact = function.exact(x[i], y[i]);
    T host;
    if constexpr (sizeof(T) == 4) {
      host = function.host32(x[i], y[i]);
    } else {
      host = function.host64(x[i], y[i]);
    }
    host_worst.Note(Error<T>(host, exact), x[i], y[i]);
    device_worst.Note(Error<T>(out[i], exact), x[i], y[i]);
  }
  return {host_worst, device_worst};
}

class MathErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double has no more digits than double";
    llvm::Error error = device_.Compile();
    if (error) GTEST_SKIP() << llvm::toString(std::move(error));
  }
  DeviceFunctions device_;
};

TEST_F(MathErrors, TableAndBounds) {
  for (const Function& function : kFunctions) {
    auto [host32, device32] = HostAndDevice<float>(function, device_);
    auto [host64, device64] = HostAndDevice<double>(function, device_);
    std::printf(
        "| %-6s | %8.3f | %8.3f | %8.3f | %8.3f |  worst at %.9g, %.9g; %.9g, %.9g; "
        "%.17g, %.17g; %.17g, %.17g\n",
        function.name, host32.error, device32.error, host64.error, device64.error, host32.x,
        host32.y, device32.x, device32.y, host64.x, host64.y, device64.x, device64.y);
  }
}

}  // namespace
}  // namespace affirm::testing
