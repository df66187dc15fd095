/** The forms of outputs that this version of the library supports, from the first to the last. */
const forms = { first: 1, last: 1 } as const;

/**
 * Throws an `Error` if this library does not support an output. Each output calls it with its form when it is loaded,
 * so that outputs and libraries of different releases fail with a clear message.
 */
export function checkLibrary(form: number): void {
  if (form > forms.last) throw new Error(`a2a-codegen is older than the output that imports it: update the package`);
  if (form < forms.first)
    throw new Error(`a2a-codegen is newer than the output that imports it: run \`npx a2a-codegen generate\``);
}
