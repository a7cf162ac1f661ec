// Measures one draw from 128,256 float32 logits: `sampler_bench [--json FILE] [--repetitions N]`.
//
// Prints median microseconds by name, and the same for llama.cpp's samplers where the build has llama.cpp. Answers are
// checked against a full sort before anything is timed. Log-probabilities are not asked for: llama.cpp gives none.
// Names that begin with masked64 draw under a mask of 64 tokens; "penalties" are a repetition, a frequency and a
// presence penalty on a text of 1,000 tokens.
#include "sampler_bench.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "weir/sampler/penalties.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir::bench {
namespace {

Inputs make_inputs(int repetitions) {
  Inputs inputs;
  inputs.repetitions = repetitions;
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal(0.0F, 2.5F);
  for (int i = 0; i < 8; ++i) {
    auto& logits = inputs.logits.emplace_back(kVocabulary);
    for (float& logit : logits) logit = normal(random);
    // A model's head: a few tokens stand out.
    for (int j = 0; j < 30; ++j) logits[random() % kVocabulary] = 12.0F + normal(random);
    auto& mask = inputs.masks.emplace_back((kVocabulary + 31) / 32);
    for (int j = 0; j < 64; ++j) {
      const auto token = random() % kVocabulary;
      mask[token / 32] |= 1U << (token % 32);
    }
  }
  return inputs;
}

struct Case {
  std::string name;
  SamplingParameters options;
  bool masked = false;
  bool peer = true;  // llama.cpp is measured, too
};

std::vector<Case> make_cases(const Parameters& p) {
  const SamplingParameters plain{.temperature = p.temperature, .seed = 1, .logprob = false};
  SamplingParameters greedy = plain;
  greedy.temperature = 0;
  SamplingParameters all = plain;
  all.top_k = static_cast<std::size_t>(p.top_k);
  all.top_p = static_cast<double>(p.top_p);
  all.min_p = static_cast<double>(p.min_p);
  SamplingParameters top_p = plain;
  top_p.top_p = all.top_p;
  SamplingParameters min_p = plain;
  min_p.min_p = all.min_p;
  SamplingParameters penalties = plain;
  penalties.repetition_penalty = 1.1;
  penalties.frequency_penalty = 0.2;
  penalties.presence_penalty = 0.1;
  penalties.frequency_counts_prompt = true;
  SamplingParameters logprob = plain;
  logprob.logprob = true;
  return {{"greedy", greedy},
          {"temperature_draw", plain},
          {"topk_topp_minp_draw", all},
          {"topp_draw", top_p},
          {"minp_draw", min_p},
          {"masked64_topp_draw", top_p, true},
          {"temperature_draw_logprob", logprob, false, false},
          {"penalties_draw", penalties, false, false},
          {"masked64_greedy", greedy, true, false},
          {"masked64_temperature_draw", plain, true, false},
          {"masked64_topk_topp_minp_draw", all, true, false},
          {"masked64_temperature_draw_logprob", logprob, true, false},
          {"masked64_penalties_draw", penalties, true, false}};
}

// How many tokens the options keep, by the definition: everything sorted.
long kept_by_sorting(const std::vector<float>& logits, const std::vector<std::uint32_t>& mask,
                     const SamplingParameters& o) {
  std::vector<long double> p;
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (mask.empty() || (mask[t / 32] >> (t % 32) & 1U) != 0) {
      p.push_back(std::exp(static_cast<long double>(logits[t]) / static_cast<long double>(o.temperature)));
    }
  }
  std::sort(p.begin(), p.end(), std::greater<>());
  const long double sum = std::accumulate(p.begin(), p.end(), 0.0L);
  std::size_t kept = 0;
  for (long double before = 0; kept < p.size(); ++kept) {
    if (o.top_k > 0 && kept >= o.top_k && p[kept] < p[o.top_k - 1]) break;
    if (before >= static_cast<long double>(o.top_p) * sum || p[kept] < static_cast<long double>(o.min_p) * p[0]) break;
    before += p[kept];
  }
  return static_cast<long>(kept);
}

// A text of 1,000 tokens, some of them often.
std::vector<TokenId> make_prompt() {
  std::mt19937_64 random(2);
  std::vector<TokenId> prompt(1000);
  for (TokenId& token : prompt) token = static_cast<TokenId>(random() % (random() % 4 == 0 ? 20 : kVocabulary));
  return prompt;
}

// The logits as the penalties of the case leave them.
std::vector<float> penalised(std::vector<float> logits, const SamplingParameters& p) {
  const auto counts = count_tokens(make_prompt());
  (void)apply_repetition_penalty({{}, logits}, counts, p.repetition_penalty).value();
  (void)apply_frequency_penalty({{}, logits}, counts, p.frequency_penalty, p.presence_penalty).value();
  return logits;
}

bool less_probable(const TokenProbability& a, const TokenProbability& b) { return a.probability < b.probability; }

bool answers_are_right(const Inputs& inputs, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& mask = c.masked ? inputs.masks[i] : std::vector<std::uint32_t>{};
      auto sampler = Sampler::create(c.options).value();
      sampler.set_prompt(make_prompt());
      const auto distribution = sampler.distribution(inputs.logits[i], mask).value();
      const auto logits = penalised(inputs.logits[i], c.options);
      const auto expected = masked_softmax(logits, mask, c.options.temperature).value();
      const auto greatest = std::max_element(distribution.begin(), distribution.end(), less_probable);
      const bool right =
          c.options.temperature == 0
              ? distribution.size() == 1 && distribution[0].token == expected[0].token
              : static_cast<long>(distribution.size()) == kept_by_sorting(logits, mask, c.options) &&
                    greatest->token == std::max_element(expected.begin(), expected.end(), less_probable)->token;
      if (!right) {
        fmt::print(stderr, "sampler_bench: {} keeps {} tokens, which is wrong\n", c.name, distribution.size());
        return false;
      }
    }
  }
  return true;
}

int run(const std::string& json_path, int repetitions) {
  const Parameters parameters;
  const Inputs inputs = make_inputs(repetitions);
  const auto cases = make_cases(parameters);
  if (!answers_are_right(inputs, cases)) return 1;
  nlohmann::ordered_json result;
  for (const Case& c : cases) {
    auto sampler = Sampler::create(c.options).value();
    sampler.set_prompt(make_prompt());
    const std::vector<std::uint32_t> none;
    result[c.name] = median_microseconds(inputs.repetitions, [&](std::size_t i) {
      const std::size_t at = i % inputs.logits.size();
      (void)sampler.draw(inputs.logits[at], c.masked ? inputs.masks[at] : none).value();
    });
  }
  const Medians llama = llama_medians(inputs, parameters);
  if (!llama.empty()) {
    for (const Case& c : cases) {
      if (c.peer) result["llama.cpp"][c.name] = llama.at(c.name);
    }
  }
  const std::string text = result.dump(2) + "\n";
  std::fputs(text.c_str(), stdout);
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << text;
    file.close();
    if (!file) {
      fmt::print(stderr, "sampler_bench: cannot write '{}'\n", json_path);
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  CLI::App app("Median microseconds of one draw from 128,256 logits.");
  std::string json_path;
  int repetitions = 300;
  app.add_option("--json", json_path, "write the result to this file, too");
  app.add_option("--repetitions", repetitions, "draws for each median")->check(CLI::Range(1, 1'000'000));
  CLI11_PARSE(app, argc, argv);
  return weir::bench::run(json_path, repetitions);
}
