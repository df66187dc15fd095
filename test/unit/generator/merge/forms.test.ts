import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { complaintsOf } from "../../../product/types/compile.js";
import { forms } from "./forms.js";
import { isWithin, lostLine, Workspace } from "./merging.js";

let space: Workspace;

const fileOf = (index: number) => `form-${index}.ts`;
const all = Object.entries(forms).map(([name, form], index) => ({
  name,
  form,
  file: fileOf(index),
}));

/** A text without white space, which a line that is split may lose. */
const squeezed = (text: string) => text.replaceAll(/\s/g, "");

function write(file: string, text: string) {
  const path = join(space.folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

beforeAll(async () => {
  space = await Workspace.of("merge-forms", "1.0");
  write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { paths: { "@protocol/*": ["./a2a/*"] } } }),
  );
  write(
    "lister.ts",
    'export class Lister {\n  listTasks() {\n    return { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };\n  }\n}\n',
  );
  write(
    "barrel.ts",
    'export type * from "./a2a/index.js";\nexport { Lister } from "./lister.js";\n',
  );
});

describe("an implementation", () => {
  it.each(all)(
    "the implementation $name gets the new method, and the rest is unchanged",
    ({ form, file }) => {
      const { text, added, removed, changed, missing } = space.merge(form.text, {}, file);
      expect(added.map(({ method }) => method)).toEqual(
        Array.from({ length: form.added ?? 1 }, () => "listTasks"),
      );
      expect([removed, changed]).toEqual([[], []]);
      const unclear = {
        method: "listTasks",
        reason: "an object that is spread there may already have it",
      };
      expect(missing).toMatchObject(Array.from({ length: form.unclear ?? 0 }, () => unclear));
      if (added.length === 0) expect(text).toBe(form.text);
      if (form.splits === true) expect(isWithin(squeezed(form.text), squeezed(text))).toBe(true);
      else expect(lostLine(form.text, text)).toBe(undefined);
      expect(text).not.toMatch(/[ \t]$/m);
      for (const part of form.has ?? []) expect(text).toContain(part);
      for (const { line, column } of added) {
        expect(text.split(/\r\n|\n/)[line - 1]?.slice(column - 1)).toMatch(/^listTasks\(/);
      }
    },
  );

  it.each(all)("the implementation $name is unchanged by the next run", ({ form, file }) => {
    const first = space.merge(form.text, {}, file).text;
    expect(space.merge(first, {}, file)).toMatchObject({ text: first, added: [] });
    expect(space.merge(first, { known: space.methods }, file)).toMatchObject({
      text: first,
      added: [],
    });
  });

  it.each(all)(
    "the implementation $name does not get methods that were known before",
    ({ form, file }) => {
      expect(space.merge(form.text, { known: space.methods }, file)).toMatchObject({
        text: form.text,
        added: [],
      });
    },
  );

  it.each(all)(
    "the implementation $name gets a report of possible additions if the new methods cannot be determined",
    ({ form, file }) => {
      const { text, added, missing } = space.merge(form.text, { known: undefined }, file);
      expect([text, added]).toEqual([form.text, []]);
      const listed = missing.filter(({ method }) => method === "listTasks");
      expect(listed.length).toBe((form.added ?? 1) + (form.unclear ?? 0));
    },
  );

  it("every implementation compiles with the additions", async () => {
    for (const { form, file } of all) write(file, space.merge(form.text, {}, file).text);
    const include = all.map(({ file }) => `merge-forms/${file}`);
    const options = { paths: { "@protocol/*": ["./merge-forms/a2a/*"] } };
    const project = { name: "merge-forms", include, surrounding: "node", options } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});
