#!/usr/bin/env bash
# What weir does, step by step. `./dev demo` builds and runs this; `--llm`: SmolLM2 writes a text for each schema here.
# usage: demo.sh [--llm]    environment: WEIR_BUILD_DIR (the build to use; default: build/release)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=${WEIR_BUILD_DIR:-build/release}
readonly WEIR="$BUILD/weir"
readonly SCHEMAS=examples/schemas
readonly PROMPT="Write one realistic example for this JSON Schema, as JSON on a single line: "

die() {
  printf 'demo.sh: %s\n' "$*" >&2
  exit 2
}

show() { # runs a command after showing it
  printf '\n$ weir' >&2
  printf ' %q' "$@" >&2
  printf '\n' >&2
  "$WEIR" "$@"
}

with_embedded_model() {
  local text
  echo "== Which tokens may come next? A list of digits, examples/grammars/digits.ebnf:"
  for prefix in '[' '[3' '[3,'; do
    show mask --ebnf examples/grammars/digits.ebnf --prefix "$prefix"
  done

  echo
  echo "== An order: nested objects, an array, an enum, numbers with bounds, a date ($SCHEMAS/order.json)."
  echo "   The embedded n-gram model writes it. At each step: how many tokens the schema allows, and the one drawn."
  text=$(show generate --json-schema "$SCHEMAS/order.json" --profile fixed --seed 8 --show-steps)
  echo
  echo "== The text, valid by construction:"
  printf '%s\n' "$text"

  echo
  echo "== And judged: weir accepts it, and says where a damaged one goes wrong."
  printf '%s' "$text" | show accepts --json-schema "$SCHEMAS/order.json" && echo "accepted"
  if printf '%s' "${text/\"items\"/\"item\"}" | show accepts --json-schema "$SCHEMAS/order.json"; then
    die "a wrong text was accepted"
  fi
}

with_llm() {
  local model schema text seed prompt sampling
  model=$(find -L build/llm -name '*.gguf' 2>/dev/null | sort | head -n 1)
  [ -n "$model" ] || die "no GGUF model in build/llm; run ./dev setup --llm"
  for schema in "$SCHEMAS"/*.json; do
    echo
    echo "== $(sed -n 's/^  "title": "\(.*\)",$/\1/p' "$schema") ($schema), by $(basename "$model")"
    prompt=$PROMPT$(tr -s ' \n' ' ' <"$schema")
    sampling=(--temperature 0.7 --min-p 0.1)
    if [ "$(basename "$schema")" = tree.json ]; then # nothing bounds its depth: a cautious small model nests for ever
      prompt="Write a small tree as JSON: one root with two leaves."
      sampling=(--temperature 1)
    fi
    # A small model may repeat itself and not come to an end (exit 3); then another seed has its turn.
    for seed in 1 2 3 4 5; do
      if text=$("$WEIR" generate --json-schema "$schema" --profile fixed --model "$model" \
        --prompt "$prompt" "${sampling[@]}" --max-tokens 400 --seed "$seed"); then
        printf '%s\n' "$text"
        break
      elif [ $? -ne 3 ]; then
        die "generation failed"
      fi
    done
  done
}

[ -x "$WEIR" ] || die "$WEIR is missing; run ./dev build"
case "${1:-}" in
  '') with_embedded_model ;;
  --llm) with_llm ;;
  *) die "unknown option $1; the only one is --llm" ;;
esac
