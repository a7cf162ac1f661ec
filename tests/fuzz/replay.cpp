// Runs a fuzz target without libFuzzer: each seed as it is, then mutations of it, the same ones on every machine.
//
// usage: fuzz_NAME MUTATIONS FOLDER     a crash, a sanitizer's finding or a failed check ends it; no seed is a failure
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& seeds) : seeds_(seeds) {}

  // One to four changes: flip a bit, set a byte, drop, repeat or splice in a run, cut the end off.
  Bytes mutate(Bytes input) {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    return input;
  }

 private:
  // Not std::uniform_int_distribution, whose results differ between standard libraries.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void change(Bytes& input) {
    if (input.empty()) {
      input.push_back(static_cast<std::uint8_t>(below(256)));
      return;
    }
    const std::size_t at = below(input.size());
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(input.size() - at, 16)));
    switch (below(6)) {
      case 0: input[at] = static_cast<std::uint8_t>(input[at] ^ (1U << below(8))); break;
      case 1: input[at] = static_cast<std::uint8_t>(below(256)); break;
      case 2: input.erase(begin, end); break;
      case 3: {
        const Bytes run(begin, end);
        for (std::size_t times = 1 + below(40); times > 0; --times) {
          input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), run.begin(), run.end());
        }
        break;
      }
      case 4: {
        const Bytes& other = seeds_[below(seeds_.size())];
        if (other.empty()) break;
        const std::size_t from = below(other.size());
        input.insert(begin, other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
      }
      default: input.resize(at); break;
    }
  }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_{20240607};
};

std::vector<Bytes> read_seeds(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " MUTATIONS FOLDER\n";
    return 2;
  }
  const std::vector<Bytes> seeds = read_seeds(argv[2]);
  if (seeds.empty()) {
    std::cerr << "no seed in " << argv[2] << '\n';
    return 1;
  }
  Mutator mutator(seeds);
  const int mutations = std::atoi(argv[1]);
  for (const Bytes& seed : seeds) {
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    for (int i = 0; i < mutations; ++i) {
      const Bytes input = mutator.mutate(seed);
      LLVMFuzzerTestOneInput(input.data(), input.size());
    }
  }
  std::cout << seeds.size() << " seeds, " << mutations << " mutations of each\n";
}
