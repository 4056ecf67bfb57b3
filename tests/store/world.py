"""The documents that every store's contract is tested over; a client's test puts them where it reads from."""

WORLD: dict[str, str] = {
    "/billing/storage.md": (
        "---\ntitle: Billing Storage\ntags: [Storage, deep dive]\nimportance: 0.9\ntype: ADR\n"
        "owner: 'Smith, J'\nmodified: 2024-05-01\n---\n"
        "Ledgers before any heading mention quokkas.\n\n# Billing Storage\n\nWhere invoices live.\n\n"
        "## Tape\n\nCold invoices go to tape vaults.\n\n### Rotation\n\nTapes rotate each quarter.\n\n"
        "## Disk\n\nHot invoices stay on disks.\n"
    ),
    "/billing/api.md": (
        "---\ntags: storage\nmodified: 2024-06-01T12:00:00+02:00\nrel-depends-on: /billing/storage.md\n---\n"
        "# Billing API\n\nCall `apply_secrets` before health.base, don't guess.\n\n"
        "## Errors\n\nC++ clients get codes.\n"
    ),
    "/billing/old.md": (
        "---\narchived: true\nrel-cites: /billing/storage.md\n---\n# Old tape plan\n\nTape everything.\n"
    ),
    "/notes.md": "# Notes\n\nAbout tape.\n\n# Notes\n\nAbout tape again.\n",
    "/plain.md": "Only prose about wombats, no heading.\n",
    "/zh/合約.md": "# 合約\n\n中文合約轉換體驗課問題。\n\n## 潮\n\n潮水漲落。\n",
    "/team/private.md": (
        "---\nrel-cites: ../billing/storage.md#tape, ../billing/api.md\n---\n"
        "# Private\n\nSecret tape codes.\n"
    ),
    "/team/open/handbook.md": (
        "---\nrel-cites: [/zh/%E5%90%88%E7%B4%84.md, /odd/a%20b%23c%2520%3F%2Cd.md, no blanks.md,"
        " mark:///billing/storage.md, mark://isle/notes.md]\nrel-after: ../private.md\n---\n"
        "# Handbook\n\nHow we work with tape.\n"
    ),
    "/odd/a b#c%20?,d.md": "---\nrel-after: ../team/open/handbook.md\n---\n# Odd\n\nA zanzibar name.\n",
}
