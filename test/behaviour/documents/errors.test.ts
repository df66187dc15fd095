import { describe, expect, it } from "vitest";
import * as draft from "../../../generated/0.4-draft/errors.js";
import { errorWriter as named } from "../../../generated/0.4-draft/runtime/protocol/error-named.js";
import * as older from "../../../generated/0.3.0/errors.js";
import { errorWriter as plain } from "../../../generated/0.3.0/runtime/protocol/error-plain.js";
import * as current from "../../../generated/1.0/errors.js";
import { errorWriter as status } from "../../../generated/1.0/runtime/protocol/error-status.js";
import { openApiOf, openRpcOf } from "./documents.js";

/** Each version with what its runtime writes for errors that nobody has said more about. */
const subjects = [
  [
    "1.0",
    current.errors.classes.map((Each) =>
      written(
        new Each(),
        (error) => status.http(error, current.errors),
        (error) => status.jsonRpc(error, current.errors),
      ),
    ),
  ],
  [
    "0.3.0",
    older.errors.classes.map((Each) =>
      written(
        new Each(),
        (error) => plain.http(error, older.errors),
        (error) => plain.jsonRpc(error, older.errors),
      ),
    ),
  ],
  [
    "0.4-draft",
    draft.errors.classes.map((Each) =>
      written(
        new Each(),
        (error) => named.http(error, draft.errors),
        (error) => named.jsonRpc(error, draft.errors),
      ),
    ),
  ],
] as const;

interface Written {
  readonly name: string;
  readonly http: unknown;
  readonly jsonRpc: unknown;
}

function written<E extends Error>(error: E, http: (error: E) => unknown, jsonRpc: (error: E) => unknown): Written {
  return { name: error.name, http: http(error), jsonRpc: jsonRpc(error) };
}

describe.each(subjects)("the errors in the documents of %s", (version, all) => {
  it("are what servers send over HTTP+JSON", async () => {
    const { responses = {} } = (await openApiOf(version)).components;
    const contents = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
    const examples = contents.flatMap(({ examples: each = {} }) => Object.entries(each));
    expect(Object.fromEntries(examples.map(([name, { value }]) => [name, value]))).toEqual(
      Object.fromEntries(all.map(({ name, http }) => [name, http])),
    );
  });

  it("are what servers send over JSON-RPC", async () => {
    const { errors = {} } = (await openRpcOf(version)).components;
    expect(Object.keys(errors).length).toBeGreaterThan(10);
    for (const [name, error] of Object.entries(errors)) {
      expect(all.find((each) => each.name === name)?.jsonRpc).toEqual(error);
    }
  });
});
