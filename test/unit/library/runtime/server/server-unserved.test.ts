import { describe, expect, it } from "vitest";
import { fetchHandler } from "../../../../../generated/1.0/server/index.js";
import { createAgent } from "../../../../../generated/1.0/index.js";
import { card as newest } from "../../../../support/kit.js";

const url = "http://localhost";
const card = {
  ...newest,
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
};
const handle = fetchHandler(createAgent({ card, service: {} }));

/** Calls an agent that only serves 1.0 and returns the code and the message of its error. */
async function refusal(method: string, version?: string): Promise<[number, string]> {
  const headers = {
    "content-type": "application/json",
    ...(version !== undefined && { "a2a-version": version }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
  const response = await handle(new Request(url, { method: "POST", headers, body }));
  const { error } = (await response.json()) as {
    readonly error: { readonly code: number; readonly message: string };
  };
  return [error.code, error.message];
}

const advice = "not supported: the agent serves 1.0; call it in 1.0, with A2A-Version: 1.0";
const unnamed = `Version 0.3, the version of a call without A2A-Version, is ${advice}`;

describe("an agent of 1.0 alone", () => {
  it.each([
    ["message/send", "0.3", -32009, `Version 0.3 is ${advice}`],
    ["SendMessage", "0.3", -32009, `Version 0.3 is ${advice}`],
    ["SendMessage", undefined, -32009, unnamed],
    ["message/send", undefined, -32601, `message/send is not a method of 1.0. ${unnamed}`],
    ["message/send", "1.0", -32601, "message/send is not a method of 1.0"],
  ])(
    "the agent tells a caller of %s with the version %s how to call it",
    async (method, version, code, message) => {
      expect(await refusal(method, version)).toEqual([code, message]);
    },
  );
});
