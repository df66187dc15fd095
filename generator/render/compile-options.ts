/** Options for compiling templates, at build time and at run time. */
export const compileOptions = {
  noEscape: true,
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: { log: false },
};
