import { describe, expect, it } from "vitest";
import { codeBlocks, readDocument } from "../../docs/markdown.js";
import { a2a, echoAgent } from "./command.js";

const page = readDocument("docs/a2a.md");

/** Returns the long options in the help of a command. */
async function optionsOf(...command: readonly string[]) {
  const { stdout } = await a2a([...command, "--help"]);
  return [...stdout.matchAll(/^\s+(?:-\w, )?(--[\w-]+)/gm)].map(([, name = ""]) => name);
}

describe("the page about a2a", () => {
  it("the page about a2a has commands at its start that work with an agent", async () => {
    const url = await echoAgent();
    const [first] = codeBlocks(page);
    const lines = (first?.text ?? "").trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const words = [...line.replace("http://127.0.0.1:4000", url).matchAll(/"([^"]*)"|(\S+)/g)];
      const [npx, name, ...args] = words.map(([, quoted, word]) => quoted ?? word ?? "");
      expect([npx, name]).toEqual(["npx", "a2a"]);
      expect([line, (await a2a(args)).code]).toEqual([line, 0]);
    }
  });

  it("the page about a2a names every command", async () => {
    const groups = [["card"], [], ["task"], ["task", "push-config"], ["config"]];
    for (const group of groups) {
      // The help of `card` is the help of its only command.
      const { stdout } = await a2a(
        group[0] === "card" ? ["card", "get", "--help"] : [...group, "--help"],
      );
      const names = [...stdout.matchAll(/^ {2}a2a ((?:[a-z-]+ ?)+)/gm)].map(([, command = ""]) =>
        command.trim(),
      );
      for (const name of names) expect(page, name).toContain(name.split(" ").at(-1));
    }
  });

  it("the page about a2a names only options that a command has", async () => {
    const commands = [
      ["auth", "login"],
      ["send"],
      ["chat"],
      ["replay"],
      ["task", "get"],
      ["task", "list"],
      ["task", "download"],
      ["listen"],
      ["card", "get"],
      ["conformance"],
    ];
    const all = await Promise.all(
      [...commands, ["task", "push-config", "create"]].map((each) => optionsOf(...each)),
    );
    const known = new Set(["--help", ...all.flat()]);
    const named = [...page.matchAll(/(?<![\w-])(--[a-z][a-z-]+)/g)].map(
      ([, option = ""]) => option,
    );
    expect([...new Set(named)].filter((option) => !known.has(option))).toEqual([]);
  });
});
