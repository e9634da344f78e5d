// Written by the server (pages/server/files.py): where scripts are, seen from here.

/** Plotly for lines and bars alone … */
export const BASIC: string;
/** … and the whole one. */
export const WHOLE: string;
/** temml, as a module. */
export const MATHS: string;
/** The modules that early.js does not import. */
export const LATER: string[];
