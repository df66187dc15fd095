/** The package that exports the runtime and the task kit for outputs without copies. */
export const libraryName = "a2a-codegen-runtime";

/** The package of this generator. */
export const generatorName = "a2a-codegen";

/**
 * The format of outputs that import a library. The format changes if a new library no longer
 * supports earlier outputs. `library/runtime/base/library.ts` lists the formats that a library
 * supports.
 */
export const libraryForm = 1;
