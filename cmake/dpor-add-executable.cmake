# dpor_add_executable(NAME SOURCE... [INCLUDE_DIRECTORIES ...] [COMPILE_OPTIONS ...] [LINK_OPTIONS ...])
#
# Builds a program with dpor-cc and dpor-c++ in a tree of another compiler; dpor_add_test takes it like a target.
# COMPILE_OPTIONS default to those of the build type, of RelWithDebInfo without one. What it is linked with must have been
# built with dpor, too: its sources belong into SOURCE.

function(dpor_add_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 DPOR "" "" "INCLUDE_DIRECTORIES;COMPILE_OPTIONS;LINK_OPTIONS")
  if(NOT DPOR_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dpor_add_executable(${target}): no source")
  endif()
  set(includes "")
  foreach(folder IN LISTS DPOR_INCLUDE_DIRECTORIES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND includes "-I${folder}")
  endforeach()
  # The headers that a source includes.
  set(has_depfiles TRUE)
  if(CMAKE_VERSION VERSION_LESS 3.20 AND NOT CMAKE_GENERATOR MATCHES Ninja)
    set(has_depfiles FALSE)
  endif()
  set(objects "")
  set(linker "${DPOR_C_COMPILER}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.dpor")
  foreach(source IN LISTS DPOR_UNPARSED_ARGUMENTS)
    get_filename_component(extension "${source}" LAST_EXT)
    if(extension STREQUAL ".c")
      set(language C)
      set(compiler "${DPOR_C_COMPILER}")
    elseif(extension MATCHES "^\\.(cc|cp|cpp|cxx|c\\+\\+|C|CC|CPP)$")
      set(language CXX)
      set(compiler "${DPOR_CXX_COMPILER}")
      set(linker "${DPOR_CXX_COMPILER}")
    else()
      message(FATAL_ERROR "dpor_add_executable(${target}): ${source} is no source in C or C++ by its name")
    endif()
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      get_source_file_property(generated "${path}" GENERATED)
      if(NOT generated)
        message(FATAL_ERROR "dpor_add_executable(${target}): there is no file ${source}")
      endif()
    endif()
    string(SHA1 hash "${path}")
    string(SUBSTRING "${hash}" 0 8 hash)
    get_filename_component(name "${source}" NAME)
    set(object "${folder}/${name}.${hash}.o")
    _dpor_options(${language} options)
    set(headers IMPLICIT_DEPENDS ${language} "${path}")
    if(has_depfiles)
      set(headers DEPFILE "${object}.d")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
      COMMAND "${compiler}" ${options} ${includes} -MD -MT "${object}" -MF "${object}.d" -c "${path}" -o "${object}"
      DEPENDS "${path}" "${compiler}"
      ${headers}
      COMMENT "Building ${name} with dpor"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(program "${CMAKE_CURRENT_BINARY_DIR}/${target}${CMAKE_EXECUTABLE_SUFFIX}")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND "${linker}" ${objects} ${DPOR_LINK_OPTIONS} -o "${program}"
    DEPENDS ${objects}
    COMMENT "Linking ${target} with dpor"
    VERBATIM)
  add_custom_target("${target}" ALL DEPENDS "${program}")
  set_property(TARGET "${target}" PROPERTY DPOR_PROGRAM "${program}")
endfunction()

# The options with which a source of a language is compiled.
macro(_dpor_options language result)
  set(${result} "${DPOR_COMPILE_OPTIONS}")
  if(NOT ${result})
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    if(NOT type)
      set(type RELWITHDEBINFO)
    endif()
    separate_arguments(${result} NATIVE_COMMAND "${CMAKE_${language}_FLAGS_${type}}")
  endif()
  if(CMAKE_${language}_STANDARD)
    string(REPLACE CXX "c++" standard "${language}")
    string(REPLACE C c standard "${standard}")
    list(APPEND ${result} "-std=${standard}${CMAKE_${language}_STANDARD}")
  endif()
endmacro()
