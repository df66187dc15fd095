import { describe, expect, it } from "vitest";
import { Imports } from "../../../../generator/emit/imports.js";
import { typeRef, valueRef } from "../../../../generator/emit/symbols.js";

const core = valueRef("runtime/core", "Core");
const options = typeRef("runtime/core", "CoreOptions");

describe("a name in the fixed text of a template", () => {
  it("the name is imported as a type or as a value, depending on what it refers to", () => {
    const imports = new Imports("server.ts");
    imports.use(core, options);
    expect(imports.plan("server", {}).imports).toEqual([
      { module: "runtime/core", clause: "import", items: ["Core", "type CoreOptions"] },
    ]);
  });

  it("a type of a specification with the same name gets another name in the file", () => {
    const imports = new Imports("server.ts");
    imports.use(options);
    expect(imports.type(typeRef("models", "CoreOptions"))).toBe("CoreOptions_");
  });

  it("a name that the file already uses is refused, because the text cannot use another name", () => {
    const imports = new Imports("server.ts", [typeRef("server", "CoreOptions")]);
    expect(() => {
      imports.use(options);
    }).toThrow("server.ts already uses the name CoreOptions");
  });
});
