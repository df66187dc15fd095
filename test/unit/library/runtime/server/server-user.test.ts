import { describe, expect, it } from "vitest";
import { jsonRpcHandler } from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import { isNoUser } from "../../../../../library/runtime/server/user.js";
import type { CallContext } from "../../../../../library/runtime/server/context.js";
import type { CoreOptions } from "../../../../../library/runtime/server/hooks.js";
import { nobodies } from "../../../../support/nobodies.js";
import { httpRequest, sampleCore } from "./server-sample.js";

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetNote", params: { id: "n1" } });

/**
 * Calls an agent, and returns the status of the response and the context that the service was
 * called with.
 */
async function call(options: CoreOptions) {
  const contexts: CallContext[] = [];
  const getNote = (_: unknown, context: CallContext) => {
    contexts.push(context);
    return { id: "n1", text: "" };
  };
  const response = await jsonRpcHandler(sampleCore({ getNote }, { options }))(
    httpRequest("POST", "/", body),
  );
  return { status: response?.status, context: contexts.at(0) };
}

describe("values that name no user", () => {
  it.each(nobodies.map((user) => [user]))("the value names no user: %j", (user) => {
    expect(isNoUser(user)).toBe(true);
  });

  it.each<[unknown]>([
    ["ada"],
    [7],
    [true],
    [{}],
    [{ id: "ada" }],
    [{ name: "ada" }],
    [{ sub: "" }],
    [["ada"]],
  ])("the value names a user: %j", (user) => {
    expect(isNoUser(user)).toBe(false);
  });
});

describe("an agent whose `authenticate` returns no user", () => {
  it.each(nobodies.map((user) => [user]))("the agent refuses the call: %j", async (user) => {
    for (const authenticate of [() => user, () => Promise.resolve(user)])
      expect(await call({ authenticate })).toEqual({ status: 401, context: undefined });
  });

  it.each(nobodies.map((user) => [user]))(
    "the agent admits an anonymous caller if an option allows it: %j",
    async (user) => {
      for (const anonymous of [null, "guest"]) {
        const { status, context } = await call({ authenticate: () => user, anonymous });
        expect([status, context?.user, context?.isAnonymous]).toEqual([200, anonymous, true]);
      }
    },
  );

  it.each(nobodies.map((user) => [user]))(
    "the agent refuses the call if the option for anonymous callers is present but undefined: %j",
    async (user) => {
      expect(await call({ authenticate: () => user, anonymous: undefined })).toEqual({
        status: 401,
        context: undefined,
      });
    },
  );

  it("the agent still identifies callers with a user", async () => {
    const { context } = await call({ authenticate: () => "ada", anonymous: "guest" });
    expect([context?.user, context?.isAnonymous]).toEqual(["ada", false]);
  });
});

it("callers of an agent without authentication are anonymous", async () => {
  const { status, context } = await call({});
  expect([status, context?.user, context?.isAnonymous]).toEqual([200, undefined, true]);
});
