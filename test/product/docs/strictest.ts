/** The flags under which the output of the generator compiles. */
export const strictest = [
  "exactOptionalPropertyTypes",
  "noUncheckedIndexedAccess",
  "noPropertyAccessFromIndexSignature",
  "verbatimModuleSyntax",
  "isolatedModules",
  "erasableSyntaxOnly",
  "noUnusedLocals",
  "noUnusedParameters",
  "noImplicitOverride",
  "noImplicitReturns",
  "noFallthroughCasesInSwitch",
].flatMap((flag) => [`--${flag}`, "true"]);
