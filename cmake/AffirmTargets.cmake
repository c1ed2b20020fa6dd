# The libraries are compiled once, for programs and for the module of Python alike. What calls a function of its own library
# still calls that one, and may have it inlined.
set(AFFIRM_LIBRARY_OPTIONS -fPIC -fno-semantic-interposition)

# Headers that nearly every file includes are compiled once for each set of options: without, reading them is most of the
# work of a fresh build. A target uses the header that was compiled with its own options: g++ 14 warns of a header that was
# compiled at another level of optimization and reads it again, and g++ 12 may end with an internal error.
add_library(affirm_common_pch OBJECT ${CMAKE_CURRENT_LIST_DIR}/empty.cc)
add_library(affirm_quick_pch OBJECT ${CMAKE_CURRENT_LIST_DIR}/empty.cc)
foreach(precompiled affirm_common_pch affirm_quick_pch)
  target_link_libraries(${precompiled} PRIVATE affirm_llvm)
  target_compile_options(${precompiled} PRIVATE ${AFFIRM_LIBRARY_OPTIONS})
  target_precompile_headers(${precompiled} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/common.pch.h)
endforeach()
target_compile_options(affirm_quick_pch PRIVATE ${AFFIRM_QUICK_OPTIONS})
# The work of a test is done in the libraries.
set(AFFIRM_TEST_OPTIONS -Wno-missing-field-initializers ${AFFIRM_QUICK_OPTIONS})
if(NOT SKBUILD)
  add_library(affirm_tests_pch OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/empty.cc)
  target_link_libraries(affirm_tests_pch PRIVATE affirm_llvm GTest::gtest GTest::gmock rapidcheck rapidcheck_gtest)
  target_compile_options(affirm_tests_pch PRIVATE ${AFFIRM_TEST_OPTIONS})
  target_precompile_headers(affirm_tests_pch PRIVATE ${CMAKE_CURRENT_LIST_DIR}/tests.pch.h)
endif()

# affirm_export(TARGET ...): these are installed, and a project that says find_package(affirm) has them.
function(affirm_export)
  install(TARGETS ${ARGN} EXPORT affirm-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/affirm/layers)
endfunction()

# The files of a library are compiled in groups: what their headers and the templates in these take is
# most of the work, and a group does it once. Their names must differ within a library, in anonymous
# namespaces too. Whoever edits one file over and over may say -DAFFIRM_UNITY=OFF.
option(AFFIRM_UNITY "Compile the files of each library in groups" ON)

# affirm_library(NAME SOURCES ... DEPS ... [PRECOMPILED target]): one layer, or one part of a layer.
# PRECOMPILED names the target whose precompiled headers it uses, by default the common ones. QUICK: with
# AFFIRM_QUICK_OPTIONS.
function(affirm_library name)
  cmake_parse_arguments(ARG "QUICK" "PRECOMPILED" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}>")
  target_link_libraries(${name} PUBLIC affirm_llvm ${ARG_DEPS})
  affirm_export(${name})
  target_compile_options(${name} PRIVATE ${AFFIRM_LIBRARY_OPTIONS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${AFFIRM_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(AFFIRM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The files of a group are included, and g++ takes their anonymous namespaces for those of a header.
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
  endif()
  set(precompiled affirm_common_pch)
  if(ARG_QUICK)
    target_compile_options(${name} PRIVATE ${AFFIRM_QUICK_OPTIONS})
    set(precompiled affirm_quick_pch)
  endif()
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED ${precompiled})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
endfunction()

# affirm_test(NAME LABELS label ... SOURCES ... DEPS ...): a GoogleTest program, one ctest entry. Labels: unit (the
# default), property, fuzz-short, differential, python, accept. It runs in the source folder, so that tests name corpus files as a reader would.
function(affirm_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "LABELS;SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} affirm_llvm GTest::gtest GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest)
  target_compile_options(${name} PRIVATE ${AFFIRM_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM affirm_tests_pch)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  list(APPEND ARG_LABELS ${ARG_LABEL})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
