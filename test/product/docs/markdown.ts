import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";

/** Fenced code block: the words after the fence, and its text. */
export interface CodeBlock {
  readonly language: string;
  /** The words behind the language: `run`, `output`, `file=agent.ts`, … */
  readonly flags: readonly string[];
  /** The name behind `file=`. */
  readonly file: string | undefined;
  /** The program that serves the agent which a client calls, behind `agent=`. */
  readonly agent: string | undefined;
  /**
   * The runtime that serves the agent in the block: the name behind `serve=`, or `Node` for
   * `serve`.
   */
  readonly runtime: string | undefined;
  /**
   * The path below which the block serves the agent: the path behind `path=`, or an empty string.
   */
  readonly path: string;
  readonly text: string;
  /** The line of the fence, counted from 1. */
  readonly line: number;
}

/** Reads a file of the repository. */
export function readDocument(path: string): string {
  return readFileSync(join(packageFolder, path), "utf8");
}

/** Returns the blocks of code of a Markdown text, in order. Throws if a fence is not closed. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = markdown.split("\n");
  for (let start = 0; start < lines.length; start += 1) {
    const info = /^```(.*)$/.exec(lines[start] ?? "")?.[1];
    if (info === undefined) continue;
    const end = lines.indexOf("```", start + 1);
    if (end < 0) throw new Error(`the block in line ${start + 1} is not closed`);
    const [language = "", ...flags] = info.trim().split(/\s+/);
    const valueOf = (name: string) =>
      flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
    const runtime = valueOf("serve") ?? (flags.includes("serve") ? "Node" : undefined);
    const text = `${lines.slice(start + 1, end).join("\n")}\n`;
    const [file, agent, path = ""] = ["file", "agent", "path"].map(valueOf);
    blocks.push({ language, flags, file, agent, runtime, path, text, line: start + 1 });
    start = end;
  }
  return blocks;
}

/**
 * Returns the part of a Markdown text below a heading, up to the next heading of the same or a
 * higher level. Throws if the heading does not exist.
 */
export function section(markdown: string, heading: string): string {
  const lines = markdown.split("\n");
  const start = lines.findIndex(
    (line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading,
  );
  if (start < 0) throw new Error(`The page has no section "${heading}"`);
  const level = /^#+/.exec(lines[start] ?? "")?.[0].length ?? 1;
  const next = lines.findIndex(
    (line, index) => index > start && new RegExp(`^#{1,${level}} `).test(line),
  );
  return lines.slice(start + 1, next < 0 ? undefined : next).join("\n");
}

/**
 * Returns the code at the start of the first cell of every row of the tables in a Markdown text. A
 * cell can contain several names, separated by commas.
 */
export function firstCells(markdown: string): string[] {
  return markdown.split("\n").flatMap((line) => {
    const [names = ""] = /^\| `[^`]+`(?:, `[^`]+`)*/.exec(line) ?? [];
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  });
}

/** Returns the targets of the links of a Markdown text, without those in code. */
export function links(markdown: string): string[] {
  const prose = codeBlocks(markdown).reduce(
    (text, block) => text.replace(block.text, ""),
    markdown,
  );
  return [...prose.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target,
  );
}

/** Returns the anchors of the headings of a Markdown text, as GitHub makes them. */
export function anchors(markdown: string): string[] {
  const headings = markdown.split("\n").flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
