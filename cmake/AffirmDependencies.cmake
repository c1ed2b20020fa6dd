# Every outside package, with the version that affirm is built against. `dev` installs them by the
# Debian names in cmake/packages.txt.
find_program(LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --cmakedir OUTPUT_VARIABLE LLVM_CMAKE_HINT
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
endif()
find_package(CLI11 2.1 REQUIRED)
find_path(Z3_INCLUDE_DIR z3++.h REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
find_path(ISL_INCLUDE_DIR isl/ctx.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)

# The outside world as three targets, so that a layer links only what it may use.
add_library(affirm_llvm INTERFACE)
target_include_directories(affirm_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(affirm_llvm INTERFACE LLVM)
add_library(affirm_mlir INTERFACE)
target_include_directories(affirm_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
target_link_libraries(affirm_mlir INTERFACE MLIR affirm_llvm)
add_library(affirm_solvers INTERFACE)
target_include_directories(affirm_solvers SYSTEM INTERFACE ${Z3_INCLUDE_DIR} ${ISL_INCLUDE_DIR})
target_link_libraries(affirm_solvers INTERFACE ${Z3_LIBRARY} ${ISL_LIBRARY})
