import { describe, expect, it } from "vitest";
import type { ErrorTable, ErrorWriter } from "../../../library/runtime/protocol/error.js";
import { namedErrorWriter } from "../../../library/runtime/protocol/error-form-named.js";
import { plainErrorWriter } from "../../../library/runtime/protocol/error-form-plain.js";
import { errorWriter } from "../../../library/runtime/protocol/error-form-status.js";
import { modulesOf } from "../../support/generated.js";
import { openApiOf, openRpcOf } from "./documents.js";

/** The bytes that the runtime of a version writes for each error without details. */
async function writtenBy(version: string, errorWriter: ErrorWriter) {
  const { errors } = (await modulesOf(version, ["errors"])) as { errors: ErrorTable };
  return errors.classes.map((Each) => {
    const error = new Each();
    return {
      name: error.name,
      http: errorWriter.http(error, errors),
      jsonRpc: errorWriter.jsonRpc(error, errors),
    };
  });
}

describe.each([
  ["1.0", errorWriter],
  ["0.3.0", plainErrorWriter],
  ["0.4-draft", namedErrorWriter],
])("the errors in the documents of %s", async (version, writer) => {
  const all = await writtenBy(version, writer);

  it("the documents list the errors that servers send over HTTP+JSON", async () => {
    const { responses = {} } = (await openApiOf(version)).components;
    const contents = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
    const examples = contents.flatMap(({ examples: each = {} }) => Object.entries(each));
    expect(Object.fromEntries(examples.map(([name, { value }]) => [name, value]))).toEqual(
      Object.fromEntries(all.map(({ name, http }) => [name, http])),
    );
  });

  it("the documents list the errors that servers send over JSON-RPC", async () => {
    const { errors = {} } = (await openRpcOf(version)).components;
    expect(Object.keys(errors).length).toBeGreaterThan(10);
    for (const [name, error] of Object.entries(errors))
      expect(all.find((each) => each.name === name)?.jsonRpc).toEqual(error);
  });
});
