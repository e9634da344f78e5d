// Written by the server (pages/server/assets.py): where the scripts of others are, seen from here.

/** Plotly for lines and bars alone … */
export const BASIC: string;
/** … and the whole one. */
export const WHOLE: string;
/** temml, as a module. */
export const MATHS: string;
