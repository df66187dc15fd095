import { readFileSync } from "node:fs";

/** Returns the part of the README that a pattern finds. */
export function find(text, pattern) {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`README.md has changed: ${pattern} is not found in it`);
  return found;
}

/** The command of the README that installs the package. */
export function installCommand(readme) {
  return find(readme, /^```sh\n(npm install --save-dev a2a-codegen\b)/m);
}

/** Reads a template of this folder, and replaces its comments by parts of these names. */
export function fill(template, parts) {
  return readFileSync(new URL(template, import.meta.url), "utf8").replaceAll(
    /<!-- (\w+) -->/g,
    (_, name) => parts[name].trim(),
  );
}
