/** The exports of the validators for a type: the parts before and after its name. */
export const validatorNames = [
  ["is", ""],
  ["assert", ""],
  ["validate", ""],
  ["parse", ""],
  ["", "Schema"],
] as const;

/** The exports of the codec for a type: the parts before and after its name. */
export const codecNames = [
  ["encode", ""],
  ["decode", ""],
] as const;

/** The modules of the output that have old names alone, and those that have the present ones. */
export const aliasModules: ReadonlyMap<string, string> = new Map([
  ["legacy", "index"],
  ["legacy-protobuf", "protobuf"],
]);
