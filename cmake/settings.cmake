# Compiler settings shared by every target.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Use ccache when it is there. Precompiled headers need two of its checks relaxed.
find_program(CATENA_CCACHE ccache)
if(CATENA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CATENA_CCACHE})
endif()

# Warnings, standard, visibility, sanitizers: for our own targets.
function(catena_target_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # -Wsign-conversion stays off: Eigen's signed indices meet std::size_t on every other line.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  # Guesses about memory that GCC 12 gets wrong inside std::string and Eigen; the sanitizers look at the real thing.
  target_compile_options(${target} PRIVATE -Wno-array-bounds
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized>)
  # GCC collects its garbage less often: a tenth of the time to compile, for some 200 MB more.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>)
  if(CATENA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # The two harmless parts of -ffast-math: sqrt becomes one instruction, branches on doubles become selects.
  # The rest of it (reassociation, no NaN, no infinities) would break rank decisions and the checks for finiteness.
  # Vectors of four numbers are passed in inlined functions only: nobody outside sees how.
  target_compile_options(${target} PRIVATE -Wno-psabi)
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math)
  if(CATENA_SANITIZE OR CATENA_FUZZ)
    # Without the checks of pointers that the address sanitizer makes in its own way: they take 1.6 times as long to compile. The library itself
    # has all of them (catena_sanitize_fully).
    set(sanitize -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
      -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute,pointer-overflow)
    if(CATENA_FUZZ)
      list(APPEND sanitize -fsanitize=fuzzer-no-link)
    endif()
    target_compile_options(${target} PRIVATE ${sanitize})
    target_link_options(${target} PRIVATE ${sanitize})
  endif()
  if(CATENA_SANITIZE_THREADS)
    target_compile_options(${target} PRIVATE -fsanitize=thread -Wno-tsan)  # fences of Boost, which nobody runs there
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
endfunction()

# Every check that `undefined` has.
function(catena_sanitize_fully target)
  if(CATENA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=undefined)
  endif()
endfunction()

# Instruction set. Public within the build only: which machine an installed library was made on is nobody's business who uses it.
# Multiply-add contraction stays at the compiler's default: the same binary always gives the same bits, two
# binaries need not.
function(catena_architecture target)
  if(CATENA_NATIVE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-march=native>)
    # GCC 12's own AVX-512 headers initialise variables with themselves.
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>>)
  endif()
endfunction()

# Eigen's alignment of memory and of fixed-size members follows from the instruction set. A program compiled for another one than the library
# would disagree with it about the layout of public structs and about who frees memory how: the installed packages say what the library has.
function(catena_alignment result)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES Eigen3::Eigen)
  if(CATENA_NATIVE)
    set(CMAKE_REQUIRED_FLAGS -march=native)
  endif()
  set(CMAKE_REQUIRED_QUIET ON)
  foreach(bytes 16 32 64)
    set(known CATENA_ALIGNED_TO_${bytes}_NATIVE_${CATENA_NATIVE})
    check_cxx_source_compiles("#include <Eigen/Core>\nstatic_assert(EIGEN_MAX_ALIGN_BYTES == ${bytes} && EIGEN_MAX_STATIC_ALIGN_BYTES == ${bytes});\nint main() {}" ${known})
    if(${known})
      set(${result} ${bytes} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "Eigen aligns memory in a way that is not known here; see catena_alignment in cmake/settings.cmake")
endfunction()

# What the static and the shared library have in common: headers, dependencies, instruction set.
function(catena_library_interface target)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
           $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC Eigen3::Eigen
    PRIVATE fmt::fmt yaml-cpp ZLIB::ZLIB $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)  # the last is headers only
  catena_architecture(${target})
  catena_alignment(alignment)
  target_compile_definitions(${target} PUBLIC
    $<INSTALL_INTERFACE:EIGEN_MAX_ALIGN_BYTES=${alignment};EIGEN_MAX_STATIC_ALIGN_BYTES=${alignment}>)
endfunction()

# For code that waits for files or people: optimised little, and several files of a folder compiled as one, because most of their time to
# compile goes into headers that they share.
function(catena_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  if(NOT CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18)
  endif()
endfunction()

# Where CATENA_BATCHES asks for it: the files of each folder of these layers as batches of at most `size`. Most of the time goes into
# templates that they share, but a batch is also what a change of one file compiles. Files of layers that are not named are compiled alone.
function(catena_group_by_folder target size)
  if(NOT CATENA_BATCHES OR CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(layer ${ARGN})
    set(layer_sources ${sources})
    list(FILTER layer_sources INCLUDE REGEX "/src/${layer}/")
    list(FILTER layer_sources EXCLUDE REGEX "/(ldu_leaf|tree_kernels)\\.cpp$")  # large, and the heart of every step
    foreach(source ${layer_sources})
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE name)
      string(REPLACE "/" "_" name ${name})
      math(EXPR count_${name} "0${count_${name}} + 1")
      math(EXPR batch "(${count_${name}} - 1) / ${size}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
    endforeach()
  endforeach()
endfunction()
