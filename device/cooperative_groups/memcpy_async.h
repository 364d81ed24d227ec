/* cooperative_groups/memcpy_async.h: all of it is in heddle/asynchronous.h. */
#ifndef HEDDLE_NAME_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define HEDDLE_NAME_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#include "heddle/asynchronous.h"
#endif
