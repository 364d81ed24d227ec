#include "order/families/list.h"

namespace heddle::order {

std::span<const Family> families() {
  static const std::vector<Family> kFamilies = {
      kIdentity,   kReverse,   kXcd,    kXcdTail,      kXcdChunk,   kXcdPanel,
      kColumns,    kSnake,     kGroup,  kGroupColumns, kGroupSnake, kGroupColumnsSnake,
      kBlockFirst, kHeadFirst, kMorton, kHilbert};
  return kFamilies;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

}  // namespace heddle::order
