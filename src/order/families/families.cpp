#include "order/families/list.h"

namespace heddle::order {

std::span<const Family> families() {
  static const std::vector<Family> kFamilies = {
      kIdentity,   kReverse,   kXcd,    kXcdTail,      kXcdChunk,   kXcdPanel,
      kColumns,    kSnake,     kGroup,  kGroupColumns, kGroupSnake, kGroupColumnsSnake,
      kBlockFirst, kHeadFirst, kMorton, kHilbert};
  return kFamilies;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.emplace_back(family.name);
  names.emplace_back("digits");
  return names;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

}  // namespace heddle::order
