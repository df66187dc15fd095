import { describe, expect, it } from "vitest";
import { Imports } from "../../../../generator/emit/imports.js";
import { linkOutputs } from "../../../../generator/emit/part-links.js";
import { partedPlan, type Part } from "../../../../generator/emit/parts.js";
import { relocated } from "../../../../generator/emit/relocate.js";

/** A part of a type: the name that it exports, and the names of other parts that it uses. */
type Sketch = Partial<Part<object>> & { readonly name: string; readonly used?: readonly string[] };

/** Plans the file `things` of each output, and returns all files of the run. */
function plan(
  outputs: Readonly<Record<string, readonly Sketch[]>>,
  elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
) {
  const linked = Object.entries(outputs).map(([folder, sketches]) => {
    const names = sketches.flatMap(({ name, declares = [] }) => [name, ...declares]);
    const imports = new Imports("things.ts", names);
    const parts = sketches.map(({ name, used = [], ...part }): Part<object> => {
      const uses = imports.startPart();
      for (const each of used) imports.own(each);
      const view = () => ({ code: name });
      const exports = [{ name, typeOnly: false }];
      return { subject: "all", of: { type: name }, exports, declares: [], uses, view, ...part };
    });
    const compose = (views: readonly object[]) => ({ views });
    const file = partedPlan({ module: "things", template: "things", parts, compose });
    const types = new Map(Object.entries(elsewhere[folder] ?? {}));
    return { folder, protocol: { elsewhere: types }, parted: [file] };
  });
  const linksOf = linkOutputs(linked);
  return linked.flatMap(({ folder, parted }) =>
    parted.flatMap((file) => file.files(linksOf(file)).map((each) => relocated(each, folder))),
  );
}

const lines = (statements: readonly { module: string; items?: readonly string[] }[]) =>
  statements.map(({ module, items = ["*"] }) => `${module}: ${items.join(", ")}`);

describe("the outputs of a run", () => {
  it("a part of another output is imported and exported by the file of the part", () => {
    const [own] = plan(
      { "a/v1": [{ name: "A", used: ["B"] }, { name: "B" }], b: [{ name: "B" }] },
      { "a/v1": { B: "b" } },
    );
    expect(own?.view).toEqual({ views: [{ code: "A" }] });
    expect(lines(own?.imports ?? [])).toEqual(["b/things: B"]);
    expect(lines(own?.exports ?? [])).toEqual(["b/things: B"]);
  });

  it("a part has another name in an output in which its name is taken", () => {
    const type = { of: { type: "b.B" } };
    const [own] = plan(
      {
        a: [
          { name: "A", used: ["b_B"] },
          { name: "b_B", ...type },
        ],
        b: [{ name: "B", ...type }],
      },
      { a: { "b.B": "b" } },
    );
    expect(lines(own?.imports ?? [])).toEqual(["b/things: B as b_B"]);
    expect(lines(own?.exports ?? [])).toEqual(["b/things: B as b_B"]);
  });

  it("additional names that another output uses are not exported to users", () => {
    const files = plan(
      {
        a: [
          { name: "A", used: ["innerToo"] },
          { name: "B", declares: ["innerToo"] },
        ],
        b: [{ name: "B", declares: ["inner"] }],
      },
      { a: { B: "b" } },
    );
    expect(files.map(({ path }) => path)).toEqual([
      "a/things.ts",
      "b/things.ts",
      "b/things/all.ts",
    ]);
    expect(lines(files[0]?.imports ?? [])).toEqual(["b/things/all: inner as innerToo"]);
    expect(lines(files[1]?.exports ?? [])).toEqual(["b/things/all: B"]);
  });

  it("a part that its output does not have is declared by each output that uses it", () => {
    const [own] = plan({ a: [{ name: "A" }, { name: "B" }], b: [] }, { a: { B: "b" } });
    expect(own?.view).toEqual({ views: [{ code: "A" }, { code: "B" }] });
  });

  it("an optional part is only declared if another output uses it", () => {
    const optional = { name: "B", declares: ["inner"], isOptional: true };
    const parts = { a: [{ name: "A", used: ["inner"] }, { ...optional }], b: [optional] };
    const [whole, inner] = plan(parts, { a: { B: "b" } }).slice(1);
    expect(whole?.path).toBe("b/things.ts");
    expect(inner?.view).toEqual({ views: [{ code: "B" }] });
    expect(plan({ b: [optional] }).map(({ view }) => view)).toEqual([{ views: [] }]);
  });
});
