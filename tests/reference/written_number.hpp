// A number taken apart as it is written, by hand and one character at a time. Only for tests.
#pragma once

#include <string>
#include <string_view>

namespace weir::reference {

struct WrittenNumber {
  bool json = false;  // a JSON number (RFC 8259); otherwise the rest says nothing
  bool negative = false;
  std::string whole, fraction, exponent;  // the exponent's sign is there only if it is a minus

  explicit WrittenNumber(std::string_view text) {
    std::size_t at = 0;
    const auto digits_at = [&] {
      const std::size_t begin = at;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
      return std::string(text.substr(begin, at - begin));
    };
    const auto skip = [&](std::string_view any_of) {
      return at < text.size() && any_of.find(text[at]) != std::string_view::npos && ++at > 0;
    };
    negative = skip("-");
    whole = digits_at();
    json = whole == "0" || (!whole.empty() && whole.front() != '0');
    if (skip(".")) {
      fraction = digits_at();
      json = json && !fraction.empty();
    }
    if (skip("eE")) {
      const std::string sign = skip("+") ? "" : skip("-") ? "-" : "";
      const std::string power = digits_at();
      json = json && !power.empty();
      exponent = sign + power;
    }
    json = json && at == text.size();
  }

  int power() const { return exponent.empty() ? 0 : std::stoi(exponent); }
};

}  // namespace weir::reference
