#include "report/document.h"

namespace heddle::report {

std::string Text::plain() const {
  std::string text;
  for (const Span& span : spans) text += span.text;
  return text;
}

Text ours(std::string text) {
  Text line;
  line.spans.push_back({std::move(text), Span::Kind::ours});
  return line;
}

Text code(std::string text) {
  Text line;
  line.spans.push_back({std::move(text), Span::Kind::code});
  return line;
}

Text link(std::string text, std::string target) {
  Text line;
  line.spans.push_back({std::move(text), Span::Kind::link, std::move(target)});
  return line;
}

Text strong(std::string text) {
  Text line;
  line.spans.push_back({std::move(text), Span::Kind::strong});
  return line;
}

Values value(std::string label, Text text) {
  return {{{std::move(label), std::move(text)}}};
}

Values operator+(Values first, const Values& second) {
  first += second;
  return first;
}

Text operator+(Text first, const Text& second) {
  first += second;
  return first;
}

Tone tone_of(Verdict verdict) {
  if (verdict == Verdict::proved) return Tone::good;
  return verdict == Verdict::refuted ? Tone::bad : Tone::doubtful;
}

}  // namespace heddle::report
