/**
 * The hints in the manifest: about types, by full name, and about members, by `Type.member` with
 * names from the proto.
 */
export interface TypeHints {
  /** TypeScript names, by full name. */
  readonly names: Readonly<Record<string, string>>;
  /** Oneofs that must not be empty, as `Message.oneof`. */
  readonly requiredOneofs: readonly string[];
  /** Required lists that may be empty, as `Message.field`. */
  readonly maybeEmpty: readonly string[];
  /** TypeScript keys of constants, as `Enum.VALUE`. */
  readonly keys: Readonly<Record<string, string>>;
  /** Other accepted spellings of enum values: for each enum, the value for each spelling. */
  readonly enumAliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Returns the key of a member in the hints: the key of its owner without the package of the main
 * file, and its name.
 */
export function hintKey(mainPackage: string, owner: string, member: string): string {
  const prefix = `${mainPackage}.`;
  return `${owner.startsWith(prefix) ? owner.slice(prefix.length) : owner}.${member}`;
}
