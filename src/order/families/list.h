// The families by name; families.cpp lines them up.
#pragma once

#include "order/family.h"

namespace heddle::order {

extern const Family kIdentity, kReverse, kXcd, kXcdTail, kXcdChunk, kXcdPanel;  // line.cpp
extern const Family kColumns, kSnake, kGroup, kGroupColumns, kGroupSnake, kGroupColumnsSnake,
    kBlockFirst, kHeadFirst;            // walk.cpp
extern const Family kMorton, kHilbert;  // curve.cpp

}  // namespace heddle::order
