// Written by the server (pages/ui/page.py) from en.md, or from the file of its language.

/** The texts by name. */
export const WORDS: Record<string, string>;
