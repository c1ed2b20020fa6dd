# The files that `cmake --install` writes, and the packages that find_package(affirm) and pkg-config find.
#
# include/affirm/*.h are the public headers. The headers of layers that they include stand below
# include/affirm/layers; it changes with every version.
include(CMakePackageConfigHelpers)

# One target for each part of the interface; each holds those above it.
foreach(part core verify emit driver)
  add_library(affirm_interface_${part} INTERFACE)
  set_target_properties(affirm_interface_${part} PROPERTIES EXPORT_NAME ${part})
  add_library(affirm::${part} ALIAS affirm_interface_${part})
endforeach()
target_link_libraries(affirm_interface_core INTERFACE affirm_analysis affirm_simplify affirm_hlo)
target_link_libraries(affirm_interface_verify INTERFACE affirm_interface_core affirm_rules affirm_maps affirm_hlo_semantics
                      affirm_width affirm_reference)
target_link_libraries(affirm_interface_emit INTERFACE affirm_interface_verify affirm_emit)
target_link_libraries(affirm_interface_driver INTERFACE affirm_interface_emit affirm_driver)
affirm_export(affirm_llvm affirm_mlir affirm_solvers affirm_protobuf affirm_interface_core affirm_interface_verify
              affirm_interface_emit affirm_interface_driver)

export(EXPORT affirm-targets NAMESPACE affirm:: FILE ${PROJECT_BINARY_DIR}/affirm-targets.cmake)  # of the build itself
install(EXPORT affirm-targets NAMESPACE affirm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/affirm-config.cmake.in
                              ${PROJECT_BINARY_DIR}/affirm-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/affirm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/affirm-config.cmake ${PROJECT_BINARY_DIR}/affirm-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
# pkg-config: the static libraries behind affirm::driver, and what they link. A library stands behind those that need it,
# in a group, so that their order does not matter.
function(affirm_linked target)  # appends to `ours` and `others` of the caller
  get_property(seen GLOBAL PROPERTY affirm_linked_seen)
  if(target IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY affirm_linked_seen ${target})
  if(NOT TARGET ${target})
    if(IS_ABSOLUTE ${target})
      set_property(GLOBAL APPEND PROPERTY affirm_linked_others ${target})
    endif()
    return()
  endif()
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported)
    set_property(GLOBAL APPEND PROPERTY affirm_linked_others "$<TARGET_LINKER_FILE:${target}>")
    return()
  endif()
  if(type STREQUAL "STATIC_LIBRARY")
    set_property(GLOBAL APPEND PROPERTY affirm_linked_ours -l${target})
  endif()
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    affirm_linked(${link})
  endforeach()
endfunction()
affirm_linked(affirm_interface_driver)
get_property(ours GLOBAL PROPERTY affirm_linked_ours)
get_property(others GLOBAL PROPERTY affirm_linked_others)
list(JOIN ours " " ours)
list(JOIN others " " others)
set(includes ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${Z3_INCLUDE_DIR} ${ISL_INCLUDE_DIR} ${PROTOBUF_INCLUDE_DIR})
list(REMOVE_DUPLICATES includes)
list(REMOVE_ITEM includes /usr/include)
list(TRANSFORM includes PREPEND -I)
list(JOIN includes " " includes)
# LLVM's shared libraries lie where the loader does not look by itself.
set(library_path ${LLVM_LIBRARY_DIRS} ${MLIR_LIBRARY_DIRS})
list(REMOVE_DUPLICATES library_path)
list(TRANSFORM library_path PREPEND -Wl,-rpath,)
list(JOIN library_path " " library_path)
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/affirm.pc CONTENT
"prefix=\${pcfiledir}/${to_prefix}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: affirm
Description: Indexing analysis of HLO in which every answer is proved
Version: ${PROJECT_VERSION}
Cflags: -std=c++20 -I\${includedir} -I\${includedir}/affirm/layers ${includes}
Libs: -L\${libdir} -Wl,--start-group ${ours} -Wl,--end-group ${others} ${library_path} -pthread -ldl
")
install(FILES ${PROJECT_BINARY_DIR}/affirm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/affirm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY core verify emit fuzz driver DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/affirm/layers
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS affirm)
install(PROGRAMS ${PROJECT_BINARY_DIR}/tools/affirm-check DESTINATION ${CMAKE_INSTALL_BINDIR})

# The files for shells and man, from the tool's own table of options.
set(generated ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${generated})
set(shell_files)
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${generated}/affirm.${shell} COMMAND affirm completion ${shell} > ${generated}/affirm.${shell}
                     DEPENDS affirm VERBATIM)
  list(APPEND shell_files ${generated}/affirm.${shell})
endforeach()
add_custom_command(OUTPUT ${generated}/affirm.1 COMMAND affirm manual > ${generated}/affirm.1 DEPENDS affirm VERBATIM)
add_custom_target(affirm_share ALL DEPENDS ${shell_files} ${generated}/affirm.1)
install(FILES ${generated}/affirm.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/affirm.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME affirm)
install(FILES ${generated}/affirm.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _affirm)
install(FILES ${generated}/affirm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Takes away what the last `cmake --install` put there, and folders that are empty then.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                  -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake VERBATIM)
