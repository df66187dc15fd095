/** Names of a type's validator exports: the parts before and after the name of the type. */
export const validatorNames = [
  ["is", ""],
  ["assert", ""],
  ["validate", ""],
  ["parse", ""],
  ["", "Schema"],
] as const;

/** Names of a type's codec exports: the parts before and after the name of the type. */
export const codecNames = [
  ["encode", ""],
  ["decode", ""],
] as const;

/** Names of a service's exports: the parts before and after the name of the service. */
export const serviceNames = [
  ["", "Client"],
  ["", "Service"],
  ["", "Options"],
  ["connect", ""],
  ["serve", ""],
] as const;

/**
 * The modules of the output that only contain old names, with the modules that contain the current
 * names.
 */
export const aliasModules: ReadonlyMap<string, string> = new Map([
  ["legacy", "index"],
  ["legacy-protobuf", "protobuf"],
]);
