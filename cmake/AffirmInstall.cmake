# What `cmake --install` puts where, and the package that find_package(affirm) finds.
#
# include/affirm/*.h are the public headers. What they include of the layers' own headers stands below
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
                      affirm_width affirm_reference affirm_certificate)
target_link_libraries(affirm_interface_emit INTERFACE affirm_interface_verify affirm_emit)
target_link_libraries(affirm_interface_driver INTERFACE affirm_interface_emit affirm_driver)
affirm_export(affirm_llvm affirm_mlir affirm_solvers affirm_interface_core affirm_interface_verify
              affirm_interface_emit affirm_interface_driver)

install(EXPORT affirm-targets NAMESPACE affirm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/affirm-config.cmake.in
                              ${PROJECT_BINARY_DIR}/affirm-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/affirm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/affirm-config.cmake ${PROJECT_BINARY_DIR}/affirm-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
install(DIRECTORY include/affirm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY core verify emit fuzz driver DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/affirm/layers
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS affirm affirm-check-certificate)

# What shells and man read, from the tool's own table of options.
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
