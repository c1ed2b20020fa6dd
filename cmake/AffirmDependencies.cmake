# Every outside package, with the version that affirm is built against. `dev` installs them by the
# Debian names in cmake/packages.txt.
find_program(LLVM_CONFIG_PROGRAM NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG_PROGRAM} --cmakedir OUTPUT_VARIABLE LLVM_CMAKE_HINT
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS ${LLVM_CMAKE_HINT}/../mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

if(NOT SKBUILD)
  find_package(GTest 1.12 REQUIRED)
  find_package(rapidcheck REQUIRED CONFIG)
  find_package(benchmark 1.7 REQUIRED)
  # MPFR 4.1: what functions of real numbers are, for tests.
  find_path(MPFR_INCLUDE_DIR mpfr.h REQUIRED)
  find_library(MPFR_LIBRARY mpfr REQUIRED)
  find_library(GMP_LIBRARY gmp REQUIRED)
  # Its C++ classes: the integers of the second checker of certificates, for tests.
  find_path(GMPXX_INCLUDE_DIR gmpxx.h REQUIRED)
  find_library(GMPXX_LIBRARY gmpxx REQUIRED)
endif()
find_package(CLI11 2.1 REQUIRED)
find_path(Z3_INCLUDE_DIR z3++.h REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
find_path(ISL_INCLUDE_DIR isl/ctx.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
# Protocol buffers 3.21: HLO that XLA serialized.
find_program(PROTOC protoc REQUIRED)
find_path(PROTOBUF_INCLUDE_DIR google/protobuf/message.h REQUIRED)
find_library(PROTOBUF_LIBRARY protobuf REQUIRED)

# Programs and the module of Python need no LLVM on the machine where they run, and are 75 MB larger. A wheel is built like this
# (docs/python.md). The shared libraries of LLVM, otherwise, are the quick way: they link in a second, and are loaded once.
option(AFFIRM_STATIC_LLVM "Link the archives of LLVM and MLIR into each program, in the place of their shared libraries" OFF)
if(AFFIRM_STATIC_LLVM)
  include(StaticLLVM)  # LLVM_ARCHIVES, MLIR_ARCHIVES
else()
  set(LLVM_ARCHIVES LLVM)
  set(MLIR_ARCHIVES MLIR)
endif()

# The outside world as targets, so that a layer links only what it may use.
add_library(affirm_llvm INTERFACE)
target_include_directories(affirm_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(affirm_llvm INTERFACE ${LLVM_ARCHIVES})
add_library(affirm_mlir INTERFACE)
target_include_directories(affirm_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
target_link_libraries(affirm_mlir INTERFACE ${MLIR_ARCHIVES} affirm_llvm)
add_library(affirm_solvers INTERFACE)
target_include_directories(affirm_solvers SYSTEM INTERFACE ${Z3_INCLUDE_DIR} ${ISL_INCLUDE_DIR})
target_link_libraries(affirm_solvers INTERFACE ${Z3_LIBRARY} ${ISL_LIBRARY})
add_library(affirm_protobuf INTERFACE)
target_include_directories(affirm_protobuf SYSTEM INTERFACE ${PROTOBUF_INCLUDE_DIR})
target_link_libraries(affirm_protobuf INTERFACE ${PROTOBUF_LIBRARY})
if(NOT SKBUILD)
  add_library(affirm_reals INTERFACE)
  target_include_directories(affirm_reals SYSTEM INTERFACE ${MPFR_INCLUDE_DIR})
  target_link_libraries(affirm_reals INTERFACE ${MPFR_LIBRARY} ${GMP_LIBRARY})
  add_library(affirm_integers INTERFACE)
  target_include_directories(affirm_integers SYSTEM INTERFACE ${GMPXX_INCLUDE_DIR})
  target_link_libraries(affirm_integers INTERFACE ${GMPXX_LIBRARY} ${GMP_LIBRARY})
endif()
