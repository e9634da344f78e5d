// Written by the server (pages/server/addresses.py): where scripts are, seen from here.

/** Plotly. */
export const PLOTLY: string;
/** temml, as a module. */
export const MATHS: string;
