/** How templates are compiled, at build time and at run time. */
export const compileOptions = { noEscape: true, strict: true, knownHelpersOnly: true };
