/* hip/hip_cooperative_groups.h: all of it is in heddle/cooperative_groups.h. */
#ifndef HEDDLE_NAME_HIP_HIP_COOPERATIVE_GROUPS_H
#define HEDDLE_NAME_HIP_HIP_COOPERATIVE_GROUPS_H
#include "heddle/cooperative_groups.h"
#endif
