import { codeBlocks, readDocument } from "../product/docs/markdown.js";

/**
 * Returns the lines of a block of code of a page, without comments and empty lines. Throws if the
 * page does not have the block.
 */
export function blockOf(page: string, file: string): readonly string[] {
  const found = codeBlocks(readDocument(page)).find((block) => block.file === file);
  if (found === undefined) throw new Error(`${page} has no block ${file}`);
  return found.text.split("\n").filter((line) => !/^\s*(?:[#;]|$)/.test(line));
}
