"""Random requests, from what the reference server says of its commands' arguments (COMMAND DOCS): so a family that the server learns
is tried without a word here. Most requests are well formed; some have an argument lost, doubled, strange or too many.

Keys are few, so that types and options collide. Numbers are boundary numbers. Times to live are long, past or invalid, and no two
of them are alike: what expires while the test runs, or compares with what is as old to the millisecond, differs by chance."""
import random

KEYS = ["k%d" % i for i in range(6)]
VALUES = ["", "a", "abc", "hello world", "0", "1", "-1", "10", "3.14", "-0", "007", "1e3", " 5", "x" * 60, "\x00\xff\r\n",
          "9223372036854775807", "-9223372036854775808", "9223372036854775806", "v1", "v2", "v3"]
INTEGERS = ["0", "1", "-1", "2", "3", "-2", "5", "10", "100", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "4294967296", "-4294967297", "2147483647", "abc", "", "1.5", "+1", "01", " 1"]
SMALL = ["0", "1", "-1", "2", "3", "-2", "4", "-100", "100", "7"]
DOUBLES = ["0", "1", "-1", "0.1", "3.14", "1e10", "-2.5", "inf", "-inf", "nan", "abc", "", "1e400", "0x10", "1.0", "5."]
PATTERNS = ["*", "k*", "k[1-3]", "?1", "[^k]*", "k\\1", "nothing", "", "[", "**1"]
WORDS = ["NX", "XX", "GT", "LT", "GET", "KEEPTTL", "EX", "PX", "EXAT", "PXAT", "PERSIST", "COUNT", "MATCH", "LEN", "IDX", "REPLACE", "DB",
         "ASYNC", "SYNC", "FOO", "WITHMATCHLEN", "MINMATCHLEN", "TYPE"]
STRANGE = ["", "-1", "abc", "99999999999999999999", "\x00", "k1", "0", "NX"]
MUTATED = 0.12  # of the requests are not as the documentation has them

# Not compared: what ends, waits, streams, tells of this machine, or is random.
LEFT_OUT = set("""shutdown debug monitor subscribe psubscribe ssubscribe unsubscribe punsubscribe sunsubscribe info time config client
command latency slowlog memory hello auth reset quit acl cluster replicaof slaveof failover sync psync replconf save bgsave bgrewriteaof
lastsave module migrate wait waitaof role restore restore-asking dump randomkey script eval evalsha eval_ro evalsha_ro fcall fcall_ro
function blpop brpop blmove brpoplpush blmpop bzpopmin bzpopmax bzmpop xread xreadgroup xadd spop srandmember hrandfield zrandmember
multi exec discard watch unwatch object|freq object|idletime object|help pubsub pfselftest pfdebug asking readonly readwrite lolwut
xautoclaim xclaim xgroup xinfo xpending sort sort_ro publish spublish""".split())
# What is said of the server's own state is not random, and cheap to compare.
ADDED = {"client|setname": 1, "client|getname": 1, "client|no-evict": 0.5, "client|reply": 0}
RARE = {"flushall": 0.05, "flushdb": 0.05, "swapdb": 0.2, "select": 0.3, "move": 0.5, "keys": 0.5, "ping": 0.3, "echo": 0.3}


def text(data):
    return data.decode() if isinstance(data, bytes) else data


def as_dict(value):
    """A map of either protocol."""
    items = value.data
    return {text(k.data): v for k, v in zip(items[::2], items[1::2])}


class Generator:
    def __init__(self, seed, docs):
        """docs: the value of COMMAND DOCS; only these commands are made."""
        self.random = random.Random(seed)
        self.commands, self.times = [], 0
        for name, value in as_dict(docs).items():
            self.add(name, as_dict(value))
        self.commands.sort(key=lambda command: command[0])
        self.weights = [weight for _, _, weight in self.commands]

    def add(self, name, entry):
        if "subcommands" in entry:
            for sub, value in as_dict(entry["subcommands"]).items():
                self.add(sub, as_dict(value))
            return
        if name not in ADDED and (name in LEFT_OUT or name.partition("|")[0] in LEFT_OUT):
            return
        arguments = entry["arguments"].data if "arguments" in entry else []
        self.commands.append((name, [as_dict(a) for a in arguments], ADDED.get(name, RARE.get(name, 1))))

    # -- requests
    def request(self):
        name, arguments, _ = self.random.choices(self.commands, self.weights)[0]
        words = name.upper().split("|")
        head = len(words)
        for argument in arguments:
            words += self.argument(argument)
        if self.random.random() < MUTATED:
            words = self.mutated(words, head)
        return [word if self.random.random() > 0.02 else word.lower() for word in words]

    def mutated(self, words, head):
        at = self.random.randrange(head, len(words) + 1)
        kind = self.random.randrange(4)
        if kind == 0:
            return words[:at] + words[at + 1:] if at < len(words) else words[:max(head, at - 1)]
        if kind == 1:
            return words[:at] + [self.random.choice(WORDS)] + words[at:]
        if kind == 2:
            return words[:at] + [self.random.choice(STRANGE)] + words[at + 1:]
        return words[:at] + words[at:at + 1] * 2 + words[at + 1:]

    def argument(self, argument):
        flags = {text(v.data) for v in argument["flags"].data} if "flags" in argument else set()
        if "optional" in flags and self.random.random() < 0.6:
            return []
        times = self.random.choice((1, 1, 2, 3)) if "multiple" in flags else 1
        words = []
        for i in range(times):
            if "token" in argument and (i == 0 or "multiple_token" in flags) and text(argument["type"].data) != "pure-token":
                words.append(text(argument["token"].data))
            words += self.value(argument)
        return words

    def value(self, argument):
        kind, name = text(argument["type"].data), text(argument["name"].data)
        if kind == "pure-token":
            return [text(argument["token"].data)]
        if kind in ("oneof", "block"):
            parts = [as_dict(a) for a in argument["arguments"].data]
            if kind == "oneof":
                parts = [self.random.choice(parts)]
            return [word for part in parts for word in self.argument(part)]
        if kind == "integer":
            return [self.integer(name)]
        return [{"key": lambda: self.random.choice(KEYS), "string": lambda: self.string(name),
                 "double": lambda: self.random.choice(DOUBLES), "pattern": lambda: self.random.choice(PATTERNS),
                 "unix-time": lambda: self.unix_time(name)}[kind]()]

    def string(self, name):
        if name == "type":
            return self.random.choice(["string", "list", "hash", "none", "STRING"])
        return self.random.choice(VALUES)

    def integer(self, name):
        roll = self.random.random()
        if name in ("seconds", "milliseconds"):
            if roll < 0.8:
                self.times += 1
                return str((10000 + self.times * 100) * (1000 if name == "milliseconds" else 1))
            return self.random.choice(["0", "-1"] + INTEGERS[9:])
        if name in ("index", "index1", "index2", "destination-db", "db"):
            return self.random.choice(["0", "1", "0", "1", "2", "16", "-1", "abc"])
        if name == "cursor":
            return self.random.choice(["0", "0", "0", "0", "abc", "-1", ""])
        if name == "count":
            return self.random.choice(["1000", "1000", "1000", "0", "-1", "abc"])
        if name in ("start", "end", "offset", "stop"):
            return self.random.choice(SMALL if roll < 0.9 else ["abc", "9223372036854775807", "-9223372036854775808", "536870912"])
        return self.random.choice(SMALL if roll < 0.5 else INTEGERS)

    def unix_time(self, name):
        self.times += 1
        if self.random.random() < 0.7:
            return str((4000000000 + self.times * 100) * (1000 if "milli" in name else 1))
        return self.random.choice(["1", "0", "-1", "abc", "9223372036854775807", "9223372036854775", ""])
