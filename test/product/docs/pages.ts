import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import { codeBlocks, readDocument, type CodeBlock } from "./markdown.js";

/** A block of code of a page, with the output that the page shows for it. */
export interface Example extends CodeBlock {
  /** The page and the line of the block, for example `docs/client.md:12`. */
  readonly location: string;
  /** The text of the block marked `output` that follows, if one does. */
  readonly output: string | undefined;
}

/** The pages for users. */
export const pages: readonly string[] = ["README.md", ...pagesBelow("docs")];

/**
 * Pages about frameworks for agents. Their examples have a project of their own, because the types
 * of some frameworks only compile with `skipLibCheck`.
 */
const frameworkPages: readonly string[] = ["docs/mastra.md", "docs/openai-agents.md"];

/** Returns whether an example imports a framework for agents. */
export function usesFramework({ location }: Example): boolean {
  return frameworkPages.some((page) => location.startsWith(`${page}:`));
}

/**
 * The page about Temporal. Its packages are not dependencies of this repository, because they
 * contain a large program for each machine.
 */
const temporalPage = "docs/temporal.md";

/** Returns whether an example imports packages that may not be installed. */
export function usesTemporal({ location }: Example): boolean {
  return location.startsWith(`${temporalPage}:`);
}

/** Examples of all pages, starting with the README. */
export const examples: readonly Example[] = pages.flatMap(examplesOf);

/** Returns the Markdown files below a folder of the repository, in alphabetical order. */
export function pagesBelow(folder: string): string[] {
  const files = readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .toSorted();
}

function examplesOf(page: string): Example[] {
  const blocks = codeBlocks(readDocument(page));
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    const output = next?.flags.includes("output") ? next.text : undefined;
    return { ...block, location: `${page}:${block.line}`, output };
  });
}
