import { expect, it } from "vitest";
import {
  A2AError,
  createAgent,
  fetchHandler,
  InternalError,
  InvalidAgentResponseError,
  InvalidParamsError,
} from "../../../../generated/1.0/index.js";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { mcpHandler } from "../../../../library/bridges/mcp.js";
import { aCard } from "../../../support/cards.js";
import { newClient, textsOf } from "./clients.js";

const secret = "a secret of at least thirty-two bytes";
const internals = "Cannot read 10.0.0.7:5432: password secret";

/** Returns the text of the result of a call whose agent throws an error, and the reports. */
async function called(error: A2AError, protocolBinding: string) {
  const interfaces = [{ url: "http://agent.test", protocolBinding, protocolVersion: "1.0" }];
  const card = aCard(interfaces, { name: "Clerk", capabilities: {} });
  const sendMessage = () => {
    throw error;
  };
  const handler = fetchHandler(createAgent({ card, service: { sendMessage } }));
  const remote = remoteAgent(card, { fetch: (url, init) => handler(new Request(url, init)) });
  const errors: unknown[] = [];
  const onError = (reported: unknown) => {
    errors.push(reported);
  };
  const { client } = await newClient(mcpHandler(remote, { secret, onError }));
  const result = await client.callTool({ name: "ask_Clerk", arguments: { message: "hi" } });
  expect(result.isError).toBe(true);
  return { texts: textsOf(result), errors };
}

it.each(["JSONRPC", "HTTP+JSON"])(
  "only the operator learns the text of an internal error of the agent over %s",
  async (binding) => {
    for (const error of [new InternalError(internals), new A2AError(internals)]) {
      const { texts, errors } = await called(error, binding);
      expect(texts).toEqual(["The agent failed with an internal error."]);
      expect(errors.map(String)).toEqual([expect.stringContaining(internals)]);
    }
    const { texts, errors } = await called(new InvalidAgentResponseError(internals), binding);
    expect(texts).toEqual(["The agent cannot be reached, or its answer is invalid."]);
    expect(errors.map(String)).toEqual([expect.stringContaining(internals)]);
  },
);

it.each(["JSONRPC", "HTTP+JSON"])(
  "the client gets the first line of an error that the protocol defines over %s",
  async (binding) => {
    const { texts, errors } = await called(new InvalidParamsError("Too short\nat x"), binding);
    expect(texts).toEqual(["The agent refused the call: Too short"]);
    expect(errors).toEqual([]);
  },
);
