// What both halves of the sampler benchmark share: the inputs and the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weir::bench {

constexpr std::size_t kVocabulary = 128'256;

struct Inputs {
  std::vector<std::vector<float>> logits;         // several, so that no run profits from the one before
  std::vector<std::vector<std::uint32_t>> masks;  // 64 allowed tokens each
  int repetitions = 0;
};

struct Parameters {
  double temperature = 0.8;
  std::int32_t top_k = 40;
  float top_p = 0.9F;
  float min_p = 0.05F;
};

using Medians = std::map<std::string, double>;  // microseconds

// Median time of step(i), i counting up.
inline double median_microseconds(int repetitions, const std::function<void(std::size_t)>& step) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < 10; ++i) step(i);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = Clock::now();
    step(static_cast<std::size_t>(i));
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// The same steps by llama.cpp's samplers, the filling of its candidate array included; empty without llama.cpp.
Medians llama_medians(const Inputs& inputs, const Parameters& parameters);

}  // namespace weir::bench
