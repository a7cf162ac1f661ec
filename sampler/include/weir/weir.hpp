// weir, all of it: grammars, what they allow over a vocabulary, and drawing tokens under them.
//
//   auto model = weir::open_model("embedded").value();            // or the path of a GGUF file
//   weir::Compiler compiler(model->vocabulary());                 // holds what grammars over one vocabulary share
//   auto grammar = compiler.compile_json_schema(R"({"type": "integer", "minimum": 1, "maximum": 12})").value();
//
// With weir's own loop:
//
//   auto out = weir::generate(*model, grammar, "", {.max_tokens = 20}).value();
//   out.text;                                                     // "7"
//
// With a loop of your own, around any model that gives logits:
//
//   weir::Matcher matcher(grammar);                               // the state of one sequence
//   auto sampler = weir::Sampler::create({.temperature = 0.7}).value();
//   std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
//   while (!matcher.is_terminated()) {
//     matcher.fill_mask(mask);                                    // bit t = token t may come next
//     auto draw = sampler.draw(my_logits(), mask).value();
//     matcher.accept(draw.token);                                 // an end-of-sequence token terminates it
//   }
//
// Every function that can fail on its input returns Result<T> (result.hpp): test it, or call value(), which throws.
// The parts, each usable without those after it:
//   weir::grammar   text to grammar: frontends.hpp, grammar.hpp, expr.hpp
//   weir::automata  grammar and vocabulary to masks: vocabulary.hpp, compiler.hpp, matcher.hpp
//   weir::sampler   masks and logits to tokens and text: logits.hpp, sampler.hpp, model.hpp, generate.hpp
#pragma once

#include "weir/automata/compiler.hpp"
#include "weir/automata/matcher.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/code_points.hpp"
#include "weir/grammar/expr.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"
#include "weir/sampler/generate.hpp"
#include "weir/sampler/llama_model.hpp"
#include "weir/sampler/logits.hpp"
#include "weir/sampler/model.hpp"
#include "weir/sampler/ngram_model.hpp"
#include "weir/sampler/random.hpp"
#include "weir/sampler/sampler.hpp"
