import { findSource, generateFrom, textOf } from "../test/support/output.js";

/** The JSON Schema of A2A 1.0, as the target `schema` writes it. */
export async function generateSchema(): Promise<Record<string, unknown>> {
  const generated = await generateFrom(findSource("1.0"), { targets: ["schema"] });
  return JSON.parse(textOf(generated, "schema.json")) as Record<string, unknown>;
}
