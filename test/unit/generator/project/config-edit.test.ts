import { describe, expect, it } from "vitest";
import { withConfigKey, withMember } from "../../../../generator/project/config-edit.js";

const description = `{
    "workspaces": ["packages/*"],
    "files": [ "a","b" ],
    "exports": { ".": {"import":"./x.js"} }, "dependencies": {
        "zod":   "4",
        "jose": "6"
    },
    "empty": {}
}
`;

describe("edits of a JSON file", () => {
  it("a member of an object is added on a line of its own, and no other text changes", () => {
    expect(withMember(description, ["dependencies", "x"], "1")).toBe(
      description.replace('"6"\n', '"6",\n        "x": "1"\n'),
    );
    expect(withMember(description, ["empty", "x"], "1")).toBe(
      description.replace('"empty": {}', '"empty": {\n        "x": "1"\n    }'),
    );
    expect(withMember(description, ["devDependencies", "x"], "1")).toBe(
      description.replace(
        '"empty": {}\n',
        '"empty": {},\n    "devDependencies": {\n        "x": "1"\n    }\n',
      ),
    );
  });

  it("a member is removed or replaced, and no other text changes", () => {
    const removed = (name: string) => withMember(description, ["dependencies", name], undefined);
    expect(removed("zod")).toBe(description.replace('"zod":   "4",\n        ', ""));
    expect(removed("jose")).toBe(description.replace(',\n        "jose": "6"', ""));
    expect(removed("other")).toBe(description);
    expect(withMember('{\n  "a": {\n    "b": 1\n  }\n}', ["a", "b"], undefined)).toBe(
      '{\n  "a": {}\n}',
    );
    expect(withMember(description, ["dependencies", "zod"], "5")).toBe(
      description.replace('"4"', '"5"'),
    );
  });

  it.each([
    ["{}", '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['{ "x": 1 }', '{ "x": 1, "a": { "b": 1 } }'],
    ['{"x":1}', '{"x":1,"a": {"b": 1}}'],
    ['{ "x": 1, "a": {} }', '{ "x": 1, "a": { "b": 1 } }'],
    ['\uFEFF{ "x": 1 }', '\uFEFF{ "x": 1, "a": { "b": 1 } }'],
  ])("the text %j with a new member is %j", (text, expected) => {
    expect(withMember(text, ["a", "b"], 1)).toBe(expected);
  });

  it("a key of a configuration is inserted at its position, and comments stay", () => {
    const text = '{\n  // The version.\n  "spec": "1.0",\n  "out": "x", /* last */\n}\n';
    expect(withConfigKey(text, "versions", ["0.3", "0.2"], 1)).toBe(
      text.replace('"1.0"', '"1.0",\n  "versions": ["0.3", "0.2"]'),
    );
    expect(withConfigKey(text, "spec", "0.3")).toBe(text.replace("1.0", "0.3"));
    expect(JSON.parse(withConfigKey('{\n  "a": 1\n}', "b", "2"))).toEqual({ b: "2", a: 1 });
  });
});
