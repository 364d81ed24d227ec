// The number that is added.
#pragma once

constexpr float kShift = 0.125f;
