// The numbers of blend.h.
#pragma once
#include "shift.h"

constexpr float kFactor = 1.5f;
