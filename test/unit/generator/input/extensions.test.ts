import { describe, expect, it } from "vitest";
import {
  extensionChoice,
  extensionOf,
  movedExtension,
} from "../../../../generator/input/extension.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { InputError } from "../../../../support/diagnostics.js";
import { findSource, generateFrom, textOf } from "../../../support/output.js";

const uri = "https://example.com/extensions/trace/v1";
const trace = {
  $id: uri,
  title: "Trace report",
  description: "Steps of the agent.",
  type: "object",
  required: ["steps"],
  properties: { steps: { type: "array", items: { $ref: "#/$defs/Step" } }, parent: { $ref: "#" } },
  $defs: { Step: { type: "object", properties: { name: { type: "string", minLength: 1 } } } },
};

/** Reads an extension from an object. */
function read(schema: unknown, file = "trace.schema.json") {
  return extensionOf({ file, text: typeof schema === "string" ? schema : JSON.stringify(schema) });
}

/** Returns the messages and hints of an error. */
async function problems(run: () => unknown) {
  try {
    await run();
  } catch (error) {
    if (error instanceof InputError)
      return error.diagnostics.map(({ message, hint }) => `${message}: ${hint}`);
    throw error;
  }
  return [];
}

const generateWith = (spec: string, ...schemas: readonly unknown[]) =>
  generateFrom({ ...findSource(spec), extensions: schemas.map((schema) => read(schema)) });

describe("the module of an extension", () => {
  it("A URI in front of the file replaces the $id, and a drive is not a URI", async () => {
    const schema = {
      file: "trace.schema.json",
      text: JSON.stringify({ ...trace, $id: undefined }),
    };
    const source = {
      ...findSource("1.0"),
      extensions: [extensionOf(schema, undefined, "urn:trace?v=1")],
    };
    const index = textOf(await generateFrom(source), "extensions/trace-report/index.ts");
    expect(index).toContain('  uri: "urn:trace?v=1",\n');
    expect(extensionChoice("urn:trace?v=1=a/b.json")).toEqual({
      uri: "urn:trace?v=1",
      path: "a/b.json",
    });
    expect(extensionChoice("C:\\a=b.json")).toEqual({ path: "C:\\a=b.json" });
    expect(movedExtension("https://a.example/v1=b.json", (path) => `x/${path}`)).toBe(
      "https://a.example/v1=x/b.json",
    );
    expect(() => extensionOf(schema, undefined, "no uri")).toThrow(
      'the URI "no uri" of the extension is not a URI',
    );
  });

  it("A schema becomes the types, the validators and the value of its extension", async () => {
    const generated = await generateWith("1.0", trace, {
      $id: "urn:tone",
      title: "Tone",
      enum: ["a", "b"],
    });
    const models = textOf(generated, "extensions/trace-report/models.ts");
    expect(models).toContain(
      "export interface TraceReport {\n  steps: Step[];\n  parent?: TraceReport;\n}",
    );
    expect(textOf(generated, "extensions/trace-report/validators.ts")).toContain(
      "export function isTraceReport(",
    );
    const index = textOf(generated, "extensions/trace-report/index.ts");
    expect(index).toContain(
      `  uri: "${uri}",\n  description: "Steps of the agent.",\n  schema: TraceReportSchema,\n`,
    );
    expect(index).toContain(
      "/** Steps of the agent. */\nexport const traceReport: Extension<TraceReport> = extension(",
    );
    expect(index).toContain('from "../../kit/index.js";');
    expect(textOf(generated, "extensions/tone/index.ts")).toContain(
      "export const tone: Extension<Tone> =",
    );
    expect(textOf(generated, "extensions/tone/models.ts")).toContain("export const Tone");
  });

  it.each(["default", "class", "import", "await", "arguments", "eval"])(
    "An extension with a reserved word as its title gets a valid name: %s",
    async (title) => {
      const index = textOf(
        await generateWith("1.0", { ...trace, title }),
        `extensions/${title}/index.ts`,
      );
      expect(index).toContain(`export const ${title}_: Extension<`);
    },
  );

  it("An output with only a client takes the extension from the kit of the client", async () => {
    const source = {
      ...findSource("1.0"),
      extensions: [read({ ...trace, title: undefined }, "a/b/my-trace.json")],
    };
    const index = textOf(
      await generateFrom(source, { targets: ["client"] }),
      "extensions/my-trace/index.ts",
    );
    expect(index).toContain('from "../../kit/client/index.js";');
  });

  it.each([
    ["{", /trace\.schema\.json|JSON/],
    [
      { ...trace, $id: undefined },
      'the extension has no `$id`: Add the URI of the extension, by which agents and clients name it: "$id": "https:',
    ],
    [
      { ...trace, $id: "trace" },
      /the `\$id` "trace" of the extension is not a URI: Set it to an absolute URI/,
    ],
    [{ ...trace, title: "42" }, /the extension has no name: Set `title` to a name/],
  ])(
    "A file that describes no extension is refused with the problem and what to do: %j",
    async (schema, message) => {
      const found = await problems(() => read(schema));
      expect(found.length).toBe(1);
      expect(found[0]).toMatch(message);
    },
  );

  it("An invalid schema is refused at the location of the mistake", async () => {
    const wrong = JSON.stringify({ ...trace, minProperties: -1 }, undefined, 2);
    const found = await problems(() => generateWith("1.0", wrong));
    expect(found).toEqual(['"minProperties" must be a whole number from 0: Correct the value']);
    expect(
      await problems(() => generateWith("1.0", { ...trace, $ref: "#/$defs/None" })),
    ).toHaveLength(1);
  });

  it("Two extensions with the same URI or the same name are refused", async () => {
    const [same] = await problems(() => generateWith("1.0", trace, { ...trace, title: "Other" }));
    expect(same).toContain(`both have the URI ${uri}: Remove one of them`);
    const [named] = await problems(() =>
      generateWith("1.0", trace, { ...trace, $id: "urn:other" }),
    );
    expect(named).toContain("both have the name trace-report: Give one of them another `title`");
  });

  it("An output without the task kit cannot have extensions", async () => {
    const [found] = await problems(() => generateWith("0.3.0", trace));
    expect(found).toContain(
      "extensions require the task kit, which the output does not contain: Use A2A 1.0",
    );
  });

  it("A path that leads to no file is refused", async () => {
    const [found] = await problems(() => specRegistry("/").extension("none.json"));
    expect(found).toBe(
      'the extension "none.json" does not exist: Specify the JSON Schema of an extension',
    );
  });
});
