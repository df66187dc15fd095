/**
 * Range of the output formats that this version of the library supports: the first and the last.
 */
const forms = { first: 1, last: 1 } as const;

/**
 * Throws an `Error` if this library does not support the format of an output. Each output calls
 * this function when it is loaded, so that an incompatible output fails with a clear message.
 */
export function checkLibrary(form: number): void {
  if (form > forms.last) mismatch("older", "npm install a2a-codegen-runtime@latest");
  if (form < forms.first) mismatch("newer", "npx a2a-codegen generate");
}

function mismatch(age: string, command: string): never {
  throw new Error(
    `a2a-codegen-runtime is ${age} than the output that imports it: run \`${command}\``,
  );
}
