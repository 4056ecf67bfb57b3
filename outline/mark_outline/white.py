"""The one definition of white space, so that trimming, slugs and costs never disagree (O8).

It is Unicode's `White_Space` property: what `str.isspace` says, without U+001C to U+001F.
"""

from typing import Final

WHITE: Final[str] = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every white-space character; use as `text.strip(WHITE)`."""
