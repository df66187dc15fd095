import { InputError } from "./diagnostics.js";

/**
 * Loads modules that depend on an optional package. `purpose` describes their use, and begins a
 * sentence of the error message.
 *
 * @throws InputError if the package is not installed, with the installation command
 */
export async function loadOptional<T>(
  name: string,
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new InputError({
      message: `${purpose} requires the package ${name}, which is not installed`,
      hint: `Run \`npm install ${name}\`, or install a2a-codegen without --omit=optional`,
    });
  }
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`);
}
