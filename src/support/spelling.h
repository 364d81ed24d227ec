// "did you mean ...": the nearest of some known words.
//
//   did_you_mean("tensor", {"tensors", "sizes"})  ==  "did you mean 'tensors'? "
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Empty if no known word is near. Ends with a space, to go before the list of all words.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "a b c"; a long list is cut: "a b c ... (40 in all)".
std::string word_list(const std::vector<std::string>& words);

}  // namespace heddle
