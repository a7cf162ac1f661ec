// A JSON Schema and a model: texts that are always valid, once with weir's loop, once with one of your own.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "pattern": "^[A-Z][a-z]{1,11}$"},
    "age": {"type": "integer", "minimum": 18, "maximum": 99},
    "status": {"enum": ["active", "paused"]}
  },
  "required": ["name", "age", "status"],
  "additionalProperties": false
})";

// What weir::generate does, less its options: mask, draw, accept, until an end-of-sequence token is taken.
std::string own_loop(weir::LanguageModel& model, const weir::CompiledGrammar& grammar) {
  weir::Matcher matcher(grammar);
  weir::Sampler sampler = weir::Sampler::create({.temperature = 0.8, .seed = 2}).value();
  std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
  std::string text;
  model.rewind(0).value();
  while (!matcher.is_terminated() && text.size() < 1000) {
    matcher.fill_mask(mask);
    const weir::TokenId token = sampler.draw(model.logits().value(), mask).value().token;
    matcher.accept(token);
    model.append({&token, 1}).value();
    text += grammar.vocabulary().token(token);
  }
  return text;
}

}  // namespace

int main() try {
  const auto model = weir::open_model("embedded").value();
  weir::Compiler compiler(model->vocabulary());
  const weir::CompiledGrammar grammar =
      compiler.compile_json_schema(kSchema, {.style = {.flexible_whitespace = false}}).value();

  const weir::Generation generation = weir::generate(*model, grammar, "", {.sampler = {.seed = 1}}).value();
  std::printf("%s (%s)\n", generation.text.c_str(), weir::to_string(generation.finish_reason));
  std::printf("%s\n", own_loop(*model, grammar).c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
