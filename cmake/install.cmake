# cmake --install: libraries, headers, command, and packages for find_package(catena) and pkg-config.
#
# The installation may be moved: neither package contains the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries catena)
if(CATENA_SHARED)
  list(APPEND libraries catena_shared)
endif()
install(TARGETS ${libraries} EXPORT catena-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET catena_command)
  install(TARGETS catena_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena ${PROJECT_BINARY_DIR}/include/catena
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)

# ------------------------------------------------------------------------------------------- find_package(catena 0.1)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
install(EXPORT catena-targets NAMESPACE catena:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/catena-config.cmake.in
  ${PROJECT_BINARY_DIR}/catena-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catena-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catena-config.cmake ${PROJECT_BINARY_DIR}/catena-config-version.cmake
  DESTINATION ${package_dir})

# -------------------------------------------------------------------------------------------------- pkg-config catena
# Beside a shared library the dependencies of the static one are private (pkg-config --static). Where there is only
# the static one, everybody needs them.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
catena_alignment(alignment)
set(pc_cflags " -DEIGEN_MAX_ALIGN_BYTES=${alignment} -DEIGEN_MAX_STATIC_ALIGN_BYTES=${alignment}")
set(pc_static "fmt >= 9 yaml-cpp >= 0.7 zlib >= 1.2")
set(pc_requires "eigen3 >= 3.4")
if(CATENA_SHARED)
  set(pc_requires_private "${pc_static}")
else()
  string(APPEND pc_requires " ${pc_static}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/catena.pc.in ${PROJECT_BINARY_DIR}/catena.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/catena.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
