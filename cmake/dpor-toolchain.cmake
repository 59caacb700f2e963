# cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/dpor/dpor-toolchain.cmake: compiles for dpor.
# A program that is checked with dpor_add_test also runs by itself.

get_filename_component(dpor_prefix "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(dpor_prefix "${dpor_prefix}/../../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${dpor_prefix}/bin/dpor-cc")
set(CMAKE_CXX_COMPILER "${dpor_prefix}/bin/dpor-c++")
list(APPEND CMAKE_PREFIX_PATH "${dpor_prefix}") # find_package(dpor)
unset(dpor_prefix)
