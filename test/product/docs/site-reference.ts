import { beforeAll, describe, expect, it } from "vitest";
import { codeBlocks, readDocument } from "./markdown.js";

/** Defines the tests of the reference of the library in a site, with its guides. */
export function describeReference(read: (path: string) => string, guide: readonly string[]): void {
  describe("the reference of the library", () => {
    /** The pages by their modules. */
    const pages = new Map<string, string>();

    beforeAll(() => {
      const rows = read("reference/api/index.md").matchAll(/^\| \[[^\]]+\]\((\S+)\) \| `(\S+)` /gm);
      for (const [, page = "", specifier = ""] of rows)
        pages.set(specifier, read(`reference/api/${page}`));
    });

    /** Names that the examples of the guides import, by module. */
    const imported = guide
      .filter((page) => page !== "index.md")
      .flatMap((page) => codeBlocks(readDocument(`docs/${page}`)))
      .flatMap(({ text }) => [...text.matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm)])
      .flatMap(([, names = "", specifier = ""]) =>
        names
          .split(",")
          .map((name) => ({ specifier, name: name.trim().replace(/^type | as .*$/g, "") })),
      )
      .filter(({ name }) => name !== "");

    it("its pages contain the names that guides import from their modules", () => {
      const isOfVersion = (name: string) =>
        read("reference/1.0/types.md").includes(`\n## ${name}\n`) ||
        read("reference/1.0/errors.md").includes(`\`${name}\``) ||
        /^(?:is|parse|validate)[A-Z]|Schema$/.test(name);
      const missing = imported
        .filter(({ specifier }) => pages.has(specifier))
        .filter(({ specifier, name }) => {
          const text = pages.get(specifier) ?? "";
          return !text.includes(`\n### ${name}\n`) && !text.includes(`[\`${name}\`](`);
        })
        .filter(({ specifier, name }) => specifier !== "./a2a/index.js" || !isOfVersion(name));
      expect(missing).toEqual([]);
      const known = imported.filter(({ specifier }) => pages.has(specifier));
      expect(new Set(known.map(({ specifier }) => specifier)).size).toBeGreaterThan(20);
    });

    it("each page tells the module to import from, and has signatures that fit into the column", () => {
      for (const [specifier, text] of pages) {
        expect(text).toContain(` from "${specifier}";`);
        const lines = codeBlocks(text).flatMap((block) => block.text.split("\n"));
        expect(lines.filter((line) => line.length > 97)).toEqual([]);
      }
    });

    it("it names no files of the machine, and no undocumented functions", () => {
      const bare = [...pages.values()].flatMap((text) =>
        [...text.matchAll(/^### (\w+)\n\n```ts\n[^`]*```\n\n(?=#|See )/gm)].map(([, name]) => name),
      );
      expect(bare).toEqual([]);
      expect(
        [...pages.values()].filter((text) => /Defined in|\/(?:work|home)\//.test(text)),
      ).toEqual([]);
    });

    it("guides link to it at the first mention of a function, and with their modules", () => {
      const client = read("client.md");
      expect(client).toContain("[`followTask`](reference/api/kit-client.md#followtask)");
      expect(client.match(/\[`followTask/g)).toHaveLength(1);
      expect(client).toMatch(/^Reference: .*\[Client kit\]\(reference\/api\/kit-client\.md\)/m);
      // A field, and not the function of the kit.
      expect(read("tasks.md")).not.toContain("[`message`](");
    });
  });
}
