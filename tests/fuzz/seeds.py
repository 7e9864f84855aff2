#!/usr/bin/env python3
"""Seeds of the session's fuzzer from the transcripts: every test's requests, and a dictionary of their words.

    seeds.py FOLDER DICTIONARY"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cmd"))
sys.dont_write_bytecode = True

from harness import encode
from transcript import leave, read_file, split_words

TRANSCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cmd")
CLIENT, SETTLE, CLIENTS_MAX, SEED_BYTES_MAX = 0xFF, 0xFD, 3, 4000


def act_free(data):
    """Bytes that the fuzzer would take for acts become question marks."""
    return bytes(byte if byte < 0xF8 else 0x3F for byte in data)


def seed(test, number):
    """Both settings bytes, then the conversation; every second one as inline requests would be too easy to break."""
    out, names = bytearray([number % 8, 0]), []
    for step in test.steps:
        if step.kind not in (">", ">>", "?>"):
            continue
        if step.conn not in names:
            names.append(step.conn)
        words = split_words(step.argument, leave)
        out += bytes([CLIENT, names.index(step.conn) % CLIENTS_MAX]) + act_free(encode(words))
        if step.kind == ">":
            out.append(SETTLE)
    return bytes(out[:SEED_BYTES_MAX])


def words_of(test):
    for step in test.steps:
        if step.kind in (">", ">>", "?>"):
            for word in split_words(step.argument, leave):
                if re.fullmatch(rb"[A-Z][A-Z-]{1,20}", word):
                    yield word.decode()


def main():
    folder, dictionary = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    words = set()
    for name in sorted(os.listdir(TRANSCRIPTS)):
        if not name.endswith(".t"):
            continue
        for number, test in enumerate(read_file(os.path.join(TRANSCRIPTS, name))):
            words.update(words_of(test))
            with open(os.path.join(folder, "%s-%d" % (name[:-2], number)), "wb") as file:
                file.write(seed(test, number))
    with open(dictionary, "w") as file:
        for word in sorted(words):
            file.write('"$%d\\x0d\\x0a%s\\x0d\\x0a"\n"%s"\n' % (len(word), word, word))
        file.write('"\\xfd"\n"\\xfc"\n"\\xff\\x01"\n"*2\\x0d\\x0a"\n"*3\\x0d\\x0a"\n"*4\\x0d\\x0a"\n')


if __name__ == "__main__":
    main()
