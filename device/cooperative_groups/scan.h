/* cooperative_groups/scan.h: all of it is in heddle/cooperative_groups.h. */
#ifndef HEDDLE_NAME_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_NAME_COOPERATIVE_GROUPS_SCAN_H
#include "heddle/cooperative_groups.h"
#endif
