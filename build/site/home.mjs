import { fill, find, installCommand } from "./readme.mjs";

/**
 * Writes the home page from home.md, with parts of the README: the command that installs, the turn
 * of its agent, and its measurements. Below are the pages by task.
 */
export function homePage(readme, list) {
  const table = find(readme, /<!-- bench -->\n([^]*?)<!-- \/bench -->/);
  const ratios = [...table.matchAll(/([\d.]+) \|$/gm)].map(([, ratio]) => Number(ratio));
  return fill("home.md", {
    agent: find(readme, /^```ts file=agent\.ts\n[^]*?^(const service = [^]*?^\}\);\n)/m),
    compared: find(readme, /^(`@a2a-js\/sdk` is the official SDK.*)$/m),
    install: installCommand(readme),
    list: list.slice(list.indexOf("## ")),
    ratio: String(Math.floor(Math.max(...ratios))),
    table,
  });
}
