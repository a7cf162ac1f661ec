// weir: a JSON Schema, a grammar or a regular expression becomes, at each step of a text, the set of tokens that may
// come next; a language model's logits are masked with it, so that what the model writes always parses.
//
//   auto model = weir::open_model("embedded").value();                          // or the path of a GGUF file
//   weir::Compiler compiler(model->vocabulary());
//   auto grammar = compiler.compile_json_schema(R"({"type": "array", "items": {"type": "integer"}})").value();
//   weir::Matcher matcher(grammar);
//   auto sampler = weir::Sampler::create({.temperature = 0.8, .seed = 7}).value();
//   std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
//   for (std::string text; !matcher.is_terminated(); std::cout << text) {
//     matcher.fill_mask(mask);                                                  // bit t: token t may come next
//     weir::TokenId token = sampler.draw(model->logits().value(), mask).value().token;
//     matcher.accept(token);                                                    // end-of-sequence terminates it
//     model->append({&token, 1}).value();
//     text = grammar.vocabulary().token(token);
//   }
//
// That loop, with a limit, an end for every case and a reason why it ended, is weir::generate (sampler/generate.hpp).
//
// Where to read on, in the order that data flows:
//   grammar/result.hpp      Result<T> and Error: value() throws as above; testing it does not
//   grammar/frontends.hpp   JSON Schema, EBNF, regular expressions: text to Grammar
//   automata/vocabulary.hpp the bytes of every token, from a tokenizer's file
//   automata/compiler.hpp   grammars bound to a vocabulary
//   automata/matcher.hpp    one sequence: mask, accept, rollback, fork
//   automata/mask.hpp       whole masks: union, number of tokens
//   automata/batch.hpp      the masks of many sequences, on several threads
//   sampler/logits.hpp      masks applied to logits, masked softmax, temperature, top-k, top-p, min-p
//   sampler/parameters.hpp  everything that says how a token is drawn, and in which order it happens
//   sampler/penalties.hpp   biases, bans and penalties on logits
//   sampler/filters.hpp     typical, epsilon, eta, top-n-sigma, XTC, mirostat, dynamic temperature
//   sampler/sampler.hpp     seeded draws, the same on every machine
//   sampler/draw_batch.hpp  a token for each of many sequences, on several threads
//   sampler/model.hpp       the interface to language models, and two behind it: ngram_model.hpp, llama_model.hpp
//   sampler/generate.hpp    the loop
//   sampler/completion.hpp  how far it is to the end of a text
//   sampler/search.hpp      beams and other searches for the most probable texts
//   sampler/particles.hpp   the model given the grammar
//   sampler/text_stream.hpp stop strings, and text that may be shown
#pragma once

#include "weir/automata/batch.hpp"
#include "weir/automata/compiler.hpp"
#include "weir/automata/mask.hpp"
#include "weir/automata/matcher.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"
#include "weir/sampler/completion.hpp"
#include "weir/sampler/draw_batch.hpp"
#include "weir/sampler/filters.hpp"
#include "weir/sampler/generate.hpp"
#include "weir/sampler/llama_model.hpp"
#include "weir/sampler/logits.hpp"
#include "weir/sampler/model.hpp"
#include "weir/sampler/ngram_model.hpp"
#include "weir/sampler/parameters.hpp"
#include "weir/sampler/particles.hpp"
#include "weir/sampler/penalties.hpp"
#include "weir/sampler/random.hpp"
#include "weir/sampler/sampler.hpp"
#include "weir/sampler/search.hpp"
#include "weir/sampler/text_stream.hpp"
