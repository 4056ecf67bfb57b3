"""The table of all settings: name, values, default, help. Everything else is made from it.

An option `--page`, a variable `MARKLOOKUP_PAGE`, a key `page` of the file and a field `page` of `Settings`
are one row here. To add a setting: add its row, a field of the same name and default to `Settings`, and a
line to docs/configuration.md (a test compares the three). A row with `serving=True` is an option of `serve`
alone, one with a `section` stands below `[section]` in the file. Imports nothing heavy, so that `--help` is
quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mark_server import kinds
from mark_server.kinds import Kind


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: `name` is that of the option, `default` is None where there is none.

    `key` is its name in the file where that is another, `shown` what help says of a default that is no value.
    """

    name: str
    kind: Kind
    default: object
    help: str
    section: str = ""
    key: str = ""
    shown: str = ""
    field: str = ""
    serving: bool = False

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return "MARKLOOKUP_" + self.name.replace("-", "_").upper()

    @property
    def parameter(self) -> str:
        """The field of `Settings`, and the parameter of a command."""
        return self.field or self.name.replace("-", "_")

    def takes(self, value: object) -> bool:
        """Whether a value, as `Settings` keeps it, is allowed."""
        if value == self.default:
            return True
        try:
            for one in value if self.kind.several and isinstance(value, tuple) else (value,):
                self.kind.accept(str(one) if isinstance(one, Path) else one)
        except ValueError:
            return False
        return True

    @property
    def in_file(self) -> tuple[str, str]:
        """Section ("" for the top) and name in the file."""
        return self.section, self.key or self.name


KEYS: tuple[Key, ...] = (
    Key("store", kinds.folder(), None, "Folder of markdown to read.", shown="the working folder"),
    Key(
        "encoding",
        kinds.words("o200k_base", "cl100k_base", "bytes"),
        "o200k_base",
        "Unit of budgets.",
    ),
    Key(
        "data",
        kinds.path("a folder", "index", "FOLDER"),
        None,
        "Where indexes and versions are kept; never inside the folder that is read.",
    ),
    Key("no-ignore", kinds.flag(), False, "Read what .gitignore files name, too."),
    Key("include", kinds.patterns("docs/**"), (), "Read only files like `docs/**`; repeatable."),
    Key("exclude", kinds.patterns("drafts/**"), (), "Leave out files like `drafts/**`; repeatable."),
    Key(
        "poll",
        kinds.seconds("5"),
        None,
        "Look at the whole folder so often, where the system tells of no changes (network mounts).",
    ),
    Key(
        "keep",
        kinds.whole("a whole number from 1", "20", 1),
        None,
        "Versions of each document whose text is kept; all when not given.",
    ),
    Key(
        "limit-files",
        kinds.whole("a whole number from 1", "100000", 1),
        100_000,
        "More markdown files than this are refused.",
        field="most_files",
    ),
    Key(
        "page",
        kinds.whole("a whole number of tokens from 300 to 3000", "1000", 300, 3000),
        1000,
        "Tokens of a page, 300 to 3000.",
    ),
    Key(
        "oversized",
        kinds.words("list", "excerpt"),
        "excerpt",
        "What becomes of a section that does not fit.",
    ),
    Key(
        "hop",
        kinds.words("early", "last", "auto"),
        "early",
        "When related documents print: after the strongest match, after all, as the question asks.",
    ),
    Key(
        "ca",
        kinds.path("a file of certificates", "ca.pem", "FILE"),
        None,
        "Authorities (PEM) for stores that are servers, in place of the system's.",
    ),
    Key(
        "insecure",
        kinds.text("names of hosts", "wiki.example", "HOST", several=True),
        (),
        "Ask the server at this host without checking its certificate; repeatable.",
    ),
    Key(
        "store-tokens",
        kinds.path("a file of lines `host token`", "hosts.tokens", "FILE"),
        None,
        "Lines `host token` for stores that are servers; nobody else may read it.",
    ),
    Key("deadline", kinds.seconds("10"), 10.0, "A lookup answers with what it has after so many seconds."),
    Key(
        "policy",
        kinds.words("rank", "knapsack", "slots", "everything"),
        "rank",
        "How candidates fill the budget.",
        section="policy",
        key="name",
    ),
    Key(
        "beta",
        kinds.number("a finite number from 0", "0.5", 0, open_=False),
        0.0,
        "What value per token weighs, for knapsack.",
        section="policy",
    ),
    Key(
        "calibration",
        kinds.words("rank", "minmax", "zscore", "blend", "joint"),
        "blend",
        "How the scores of a store are made comparable.",
        section="policy",
    ),
    Key("near", kinds.words("flag", "drop"), "flag", "What becomes of near copies.", section="policy"),
    Key(
        "truncate",
        kinds.flag(),
        False,
        "With the policy everything: as far as it fits, instead of an error.",
        section="policy",
    ),
    Key("order", kinds.words("rank", "cache"), "rank", "The order of what is printed.", section="policy"),
    Key(
        "log-level",
        kinds.words("debug", "info", "warning", "error"),
        "info",
        "With --http: what is told on standard error.",
        serving=True,
    ),
    Key(
        "mark",
        kinds.text("HOST:PORT", "127.0.0.1:6309", "HOST:PORT"),
        None,
        "Serve Mark clients over QUIC here instead.",
        section="mark",
        key="address",
        serving=True,
    ),
    Key(
        "cert",
        kinds.path("a file with a certificate", "cert.pem", "FILE"),
        None,
        "With --mark: the server's certificate, PEM.",
        section="mark",
        serving=True,
    ),
    Key(
        "key",
        kinds.path("a file with a private key", "key.pem", "FILE"),
        None,
        "With --mark: its private key, PEM.",
        section="mark",
        serving=True,
    ),
    Key(
        "http",
        kinds.authority("127.0.0.1:8000"),
        None,
        "Serve over HTTP at http://HOST:PORT/mcp instead of standard input and output.",
        section="http",
        key="address",
        serving=True,
    ),
    Key(
        "allow-host",
        kinds.text("names of hosts", "marks.example.org", "HOST", several=True),
        (),
        "With --http: answer to this name, too (NAME or NAME:PORT); repeatable.",
        section="http",
        serving=True,
    ),
    Key(
        "allow-origin",
        kinds.text("origins", "https://chat.example.org", "ORIGIN", several=True),
        (),
        "With --http: let pages of this origin call; repeatable.",
        section="http",
        serving=True,
    ),
    Key(
        "public-url",
        kinds.url("https://marks.example.org"),
        None,
        "With --http: the root under which clients know this server.",
        section="http",
        serving=True,
    ),
    Key(
        "limit-rate",
        kinds.whole("a whole number of calls a minute from 1", "600", 1),
        None,
        "With --http: calls a minute of one caller; one more gets 429. Any number when not given.",
        section="http",
        serving=True,
    ),
    Key(
        "limit-calls",
        kinds.whole("a whole number from 1", "256", 1),
        256,
        "With --http: calls at once; one more gets 503.",
        section="http",
        serving=True,
    ),
    Key(
        "limit-body",
        kinds.whole("a whole number of bytes from 1", "1048576", 1),
        1 << 20,
        "With --http: largest request in bytes; a larger one gets 413.",
        section="http",
        serving=True,
    ),
    Key(
        "limit-seconds",
        kinds.seconds("60"),
        60.0,
        "With --http: longest call; a longer one gets 503.",
        section="http",
        serving=True,
    ),
    Key(
        "tokens",
        kinds.path("a token file", "tokens.toml", "FILE"),
        None,
        "The file of those who may call, with --http or --mark.",
        section="http",
        serving=True,
    ),
    Key(
        "issuer",
        kinds.url("https://login.example.org"),
        None,
        "With --http: take signed tokens of this issuer, too.",
        section="http",
        serving=True,
    ),
    Key(
        "audience",
        kinds.text("the name that signed tokens are made for", "https://marks.example.org/mcp", "NAME"),
        None,
        "With --http: the audience that signed tokens must name.",
        section="http",
        serving=True,
    ),
    Key(
        "jwks",
        kinds.url("https://login.example.org/keys.json"),
        None,
        "With --http: where the issuer's keys are; asked of the issuer when not given.",
        section="http",
        serving=True,
    ),
)
