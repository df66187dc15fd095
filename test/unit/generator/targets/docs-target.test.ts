import { posix } from "node:path";
import { format } from "prettier";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { findSource, generateFrom, sourceOf, textOf } from "../../../support/output.js";
import { anchors, links } from "../../../product/docs/markdown.js";
import { isTried } from "../../../support/size.js";
import { readSource } from "../input/proto/reading.js";

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);

describe.each(versions)("the reference of %s", (version) => {
  /** Text of each page, by path. */
  let pages: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const { files } = await generateFrom(findSource(version), { targets: ["docs"] });
    pages = new Map(files.map(({ path, text }) => [path, text]));
  });

  it("the reference contains each type, operation and error", () => {
    const { types, operations, binding } = readSource(findSource(version));
    const headings = (page: string): string[] => anchors(pages.get(page) ?? "").slice(1);
    const slugs = (named: readonly { readonly name: string }[]): string[] =>
      named.map(({ name }) => name.toLowerCase());
    expect(headings("docs/types.md")).toEqual(slugs(types));
    expect(headings("docs/operations.md")).toEqual(slugs(operations));
    const errors = pages.get("docs/errors.md") ?? "";
    expect((binding?.errors ?? []).filter(({ name }) => !errors.includes(`| \`${name}\``))).toEqual(
      [],
    );
  });

  it("the links of the reference lead to existing headings", () => {
    const broken = [...pages].flatMap(([page, text]) =>
      links(text).filter((target) => {
        const [path = "", anchor] = target.split("#");
        const linked = pages.get(path === "" ? page : posix.join(posix.dirname(page), path));
        return linked === undefined || (anchor !== undefined && !anchors(linked).includes(anchor));
      }),
    );
    expect(broken).toEqual([]);
  });

  if (isTried(version))
    it("the formatter does not change the reference", async () => {
      for (const [page, text] of pages)
        expect(await format(text, { parser: "markdown", printWidth: 100 }), page).toBe(text);
    });
});

describe("the reference of a proto", () => {
  const reference = async (proto: string) =>
    textOf(
      await generateFrom(sourceOf(`syntax = "proto3"; package shop;\n${proto}`), {
        targets: ["docs"],
      }),
      "docs/types.md",
    );

  it("the reference describes fields, oneofs, enum values and their numbers", async () => {
    const text = await reference(`
      // A bid.
      message Bid {
        // Amount in cents.
        int64 amount = 7;
        repeated State states = 2;
        map<string, Bid> others = 3;
        // How to pay.
        oneof payment { string card = 4; bytes check = 5; }
      }
      enum State { STATE_OPEN = 0; STATE_SOLD = 1 [deprecated = true]; }`);
    expect(text.split("\n").slice(6)).toEqual([
      "## Bid",
      "",
      "A bid.",
      "",
      "| Field    | Type                    | Required | Number | Description      |",
      "| -------- | ----------------------- | -------- | ------ | ---------------- |",
      "| `amount` | string (int64)          |          | 7      | Amount in cents. |",
      "| `states` | list of [State](#state) |          | 2      |                  |",
      "| `others` | map of [Bid](#bid)      |          | 3      |                  |",
      "| `card`   | string                  |          | 4      |                  |",
      "| `check`  | string (base64)         |          | 5      |                  |",
      "",
      "- `payment`: at most one of `card`, `check` is present. How to pay.",
      "",
      "## State",
      "",
      "| Value        | Constant | Number | Description     |",
      "| ------------ | -------- | ------ | --------------- |",
      "| `STATE_OPEN` | `Open`   | 0      |                 |",
      "| `STATE_SOLD` | `Sold`   | 1      | **Deprecated.** |",
      "",
    ]);
  });

  it("the reference displays tags, bars and headings of doc comments as text", async () => {
    const text = await reference(`
      // # Not a heading
      // <script>alert(1)</script> and \`<b>\`
      message Bid {
        // a | b <img src=x onerror=alert(1)>
        string name = 1;
      }`);
    expect(text).toContain("\\# Not a heading\n\\<script>alert(1)\\</script> and `<b>`\n");
    expect(text).toContain("| a \\| b \\<img src=x onerror=alert(1)> |");
    expect(anchors(text)).toEqual(["types-of-testproto", "bid"]);
  });

  it("the title of a specification cannot end the comment at the start of a page", async () => {
    const source = { ...sourceOf('syntax = "proto3"; message A {}'), title: "--> <script>.proto" };
    const text = textOf(await generateFrom(source, { targets: ["docs"] }), "docs/types.md");
    expect(text.split("\n")[0]).toBe(
      "<!-- @generated by a2a-codegen from - -? ?script?.proto. Do not edit. -->",
    );
    expect(text).toContain("# Types of --> \\<script>.proto");
  });
});
