import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readText } from "../../support/read-text.js";
import { usage } from "./errors.js";
import type { Environment } from "./settings.js";

/** Maximum size of a secret from standard input. */
const maxLength = 2 ** 16;

/**
 * Returns a secret: `env:NAME` is an environment variable, `@FILE` the content of a file, and `-`
 * standard input. Any other text is the secret itself, which other users of the machine may see in
 * the list of processes.
 */
export async function secretOf(
  name: string,
  reference: string,
  { cwd, env }: Environment,
): Promise<string> {
  const found = reference === "-" ? await standardInput() : fromSource(name, reference, cwd, env);
  const secret = found.trim();
  if (secret === "")
    throw usage(`--${name} is empty`, "Check the variable, the file or standard input");
  if (/[^\x20-\x7e]/.test(secret))
    throw usage(`--${name} has characters that no header can contain`, "Check its source");
  return secret;
}

function fromSource(name: string, reference: string, cwd: string, env: Environment["env"]): string {
  if (reference.startsWith("env:")) {
    const variable = reference.slice("env:".length);
    return (
      env[variable] ??
      refuse(`--${name} names ${variable}, which is not set`, "Export the variable")
    );
  }
  if (!reference.startsWith("@")) return reference;
  try {
    return readFileSync(resolve(cwd, reference.slice(1)), "utf8");
  } catch {
    return refuse(
      `--${name} names the file "${reference.slice(1)}", which cannot be read`,
      "Check the path",
    );
  }
}

function refuse(message: string, hint: string): never {
  throw usage(message, hint);
}

/** Reads standard input as text. */
export async function standardInput(limit = maxLength): Promise<string> {
  return await readText(process.stdin, limit, () =>
    usage(`standard input has more than ${limit} bytes`, "Pass less, or a file"),
  );
}
