"""weir generate: what goes where, and how it ends. Whether texts are valid is judged in tests/python/generate_test.py."""

import math
import re

DATE = r"20[0-9]{2}-(0[1-9]|1[0-2])"


def test_the_text_alone_is_on_standard_output(cli):
    run = cli("generate", "--regex", DATE)
    assert run.code == 0 and run.err == ""
    assert re.fullmatch(DATE, run.out.decode())


def test_json_lines(cli):
    run = cli("generate", "--regex", DATE, "-n", "5", "--seed", "3")
    assert run.code == 0 and len(run.json_lines) == 5
    for line in run.json_lines:
        assert re.fullmatch(DATE, line["text"])
        assert line["finish_reason"] == "accepted" and line["complete"] is True
        assert line["tokens"] > 0 and math.isfinite(line["logprob"]) and line["logprob"] <= 0
    assert len({line["text"] for line in run.json_lines}) > 1
    one = cli("generate", "--regex", DATE, "--jsonl", "--seed", "3").json_lines
    assert one == run.json_lines[:1]


def test_a_seed_fixes_the_text(cli):
    texts = [cli("generate", "--regex", "[a-z]{8}", "--seed", seed).out for seed in ("1", "1", "2")]
    assert texts[0] == texts[1] != texts[2]


def test_greedy_does_not_depend_on_the_seed(cli):
    greedy = ["generate", "--regex", "[a-z]{8}", "--temperature", "0"]
    assert cli(*greedy, "--seed", "1").out == cli(*greedy, "--seed", "2").out


def test_stopped_too_early_exits_3(cli):
    run = cli("generate", "--regex", "[0-9]{30}", "--max-tokens", "3", "--jsonl")
    assert run.code == 3
    (line,) = run.json_lines
    assert line["finish_reason"] == "length" and line["complete"] is False and line["tokens"] == 3
    assert run.err.startswith("error: stopped after 3 tokens") and "--max-tokens" in run.err
    assert cli("generate", "--regex", "[0-9]{30}", "--max-tokens", "0").code == 3


def test_length_is_no_failure_when_the_text_is_complete(cli):
    run = cli("generate", "--regex", "[0-9]*", "--max-tokens", "0", "--jsonl")
    assert run.code == 0 and run.json_lines[0]["complete"] is True


def test_stop_on_accepting(cli):
    run = cli("generate", "--regex", "[0-9]+", "--stop-on-accepting", "--jsonl")
    assert run.code == 0 and len(run.json_lines[0]["text"]) >= 1 and run.json_lines[0]["tokens"] == 1


def test_steps_are_shown_on_standard_error(cli, file):
    grammar = file('start = "[" , d , { "," , d } , "]" ; d = [0-9] ;', "list.ebnf")
    run = cli("generate", "--ebnf", grammar, "--show-steps")
    header, *steps = run.err.splitlines()
    assert header.split() == ["step", "allowed", "token"]
    assert [step.split()[0] for step in steps] == [str(i + 1) for i in range(len(steps))]
    assert steps[0].split()[1:] == ["1", '"["'] and steps[1].split()[1] == "10" and steps[2].split()[1] == "2"
    shown = "".join(re.search(r'"(.*)"', step)[1] for step in steps)
    assert shown == run.out.decode()


def test_values_out_of_their_domain(fails):
    base = ["generate", "--regex", "a"]
    for option, value in [("--temperature", "-1"), ("--temperature", "nan"), ("--temperature", "warm"), ("--top-p", "1.5"),
                          ("--min-p", "-0.1"), ("--top-k", "-1"), ("--top-k", "2.5"), ("--max-tokens", "-1"),
                          ("--seed", "18446744073709551616"), ("-n", "0"), ("--model", "no-such-file.gguf")]:
        message = fails(*base, option, value, *(["--top-k", "3"] if option == "--min-p" else []))
        assert option.strip("-").replace("-", "_") in message.replace("-", "_") or value in message, message
