import type { Protocol } from "../protocol/model/types.js";

/**
 * The statement that exports types of a runtime module, without those that go by the name of something in the
 * specification: what the user's proto calls so is what the index exports. Gives nothing where none is left.
 */
export function typeExports({ types, legacy }: Protocol, module: string, names: readonly string[]): string[] {
  const taken = new Set([...types.map(({ name }) => name), ...legacy.map(({ old }) => old)]);
  const free = names.filter((name) => !taken.has(name));
  return free.length === 0 ? [] : [`export type { ${free.join(", ")} } from "${module}";`];
}
