"""markdown-it-py with the commonmark preset, which takes a link's target as it is written.

Targets are not printed here, so they are neither judged (`javascript:`) nor normalised: judging would change
what is a link and what is a definition, which is CommonMark's to say.
"""

from markdown_it import MarkdownIt


class LenientMarkdown(MarkdownIt):
    """The commonmark preset for every target."""

    def validateLink(self, _url: str) -> bool:  # noqa: N802 - overrides a method
        """Take every target for a target."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - overrides a method
        """Give the target as it is written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - overrides a method
        """Give the text of an autolink as it is written."""
        return link
