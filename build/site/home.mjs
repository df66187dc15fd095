import { readFileSync } from "node:fs";

/**
 * Writes the home page from home.md, with parts of the README: the command that installs, the turn
 * of its agent, and its measurements. Below are the pages by task.
 */
export function homePage(readme, list) {
  const table = find(readme, /<!-- bench -->\n([^]*?)<!-- \/bench -->/);
  const ratios = [...table.matchAll(/([\d.]+) \|$/gm)].map(([, ratio]) => Number(ratio));
  const parts = {
    agent: find(readme, /^```ts file=agent\.ts\n[^]*?^(const service = [^]*?^\}\);\n)/m),
    compared: find(readme, /^(`@a2a-js\/sdk` is the official SDK.*)$/m),
    install: find(readme, /^```sh\n(npm install --save-dev a2a-codegen\b)/m),
    list: list.slice(list.indexOf("## ")),
    ratio: String(Math.floor(Math.max(...ratios))),
    table,
  };
  return readFileSync(new URL("home.md", import.meta.url), "utf8").replaceAll(
    /<!-- (\w+) -->/g,
    (_, name) => parts[name].trim(),
  );
}

function find(text, pattern) {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`README.md has changed: ${pattern} is not found in it`);
  return found;
}
