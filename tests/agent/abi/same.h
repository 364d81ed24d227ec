// Whether two function pointers can be called alike: as many parameters, each passed in the same
// way.
#pragma once

#include <type_traits>

namespace heddle::agent {

template <class A, class B>
inline constexpr bool kSameValue = (std::is_void_v<A> && std::is_void_v<B>) ||
                                   (sizeof(std::conditional_t<std::is_void_v<A>, char, A>) ==
                                        sizeof(std::conditional_t<std::is_void_v<B>, char, B>) &&
                                    std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
                                    !std::is_class_v<A> && !std::is_class_v<B>);

/// What a parameter points to counts too, one level down: an int that is written must be an int.
template <class A, class B>
inline constexpr bool kSameTarget =
    !(std::is_pointer_v<A> && std::is_pointer_v<B>) ||
    kSameValue<std::remove_pointer_t<A>, std::remove_pointer_t<B>> ||
    std::is_void_v<std::remove_pointer_t<A>> || std::is_void_v<std::remove_pointer_t<B>>;

template <class A, class B>
struct SameCall : std::false_type {};

template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct SameCall<A (*)(As...), B (*)(Bs...)>
    : std::bool_constant<kSameValue<A, B> && (kSameValue<As, Bs> && ...)> {
};

template <class A, class B>
inline constexpr bool kSameCall = SameCall<A, B>::value;

static_assert(kSameCall<int (*)(void**, unsigned), int (*)(unsigned long long*, int)>);
static_assert(!kSameCall<int (*)(void**, unsigned), int (*)(void**, unsigned long)>);
static_assert(!kSameCall<int (*)(float), int (*)(int)>);
static_assert(!kSameCall<int (*)(int), int (*)(int, int)>);

}  // namespace heddle::agent
