# cmake -DFOLDER=device -DOUTPUT=device_headers.cpp -P embed_headers.cmake
# Writes the headers that C++ kernels are compiled against into a C++ source: their paths inside of
# the folder, and their texts.
# Some headers have no ending, or another one.
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(FILTER files EXCLUDE REGEX "\\.md$")
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} text)
  string(APPEND rows "      {\"${file}\", R\"heddle(${text})heddle\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"kernel/cxx/device_headers.h\"

namespace heddle::kernel::cxx {

const std::vector<DeviceHeader>& device_headers() {
  static const std::vector<DeviceHeader> headers = {
${rows}  };
  return headers;
}

}  // namespace heddle::kernel::cxx
")
