// Written by the server (pages/server/files.py): where scripts are, seen from here.

/** Plotly. */
export const PLOTLY: string;
/** temml, as a module. */
export const MATHS: string;
