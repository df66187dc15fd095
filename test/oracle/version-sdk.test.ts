import { StreamResponse } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { describe, expect, it } from "vitest";
import { convert } from "../../library/runtime/versions/convert.js";
import fc, { arbitrary } from "../support/properties.js";
import { casesOf } from "./cases.js";
import { callsWith } from "./sdk-calls.js";
import {
  differ,
  earlier,
  hasNull,
  later,
  mapping,
  operationOf,
  valuesOf,
  withNamedSchemes,
} from "./sdk-forms.js";

const requests = valuesOf(earlier);
/** Cards for callers of 0.3 only have interfaces of 0.3, and every message has a role. */
const responses = valuesOf(later, {
  "AgentInterface.protocolVersion": "0.3",
  "Message.role": "ROLE_USER",
  "APIKeySecurityScheme.location": "cookie",
});

describe("the mapping of 0.3.0 and 1.0 and the SDK's handling of calls of 0.3", () => {
  it.each(callsWith("params"))(
    "the mapping and the SDK agree about the request of %s",
    async (name, { method, params }) => {
      const operation = operationOf(name);
      const [type, { fromJSON, toJSON }] = params;
      const property = fc.asyncProperty(
        arbitrary((random) => requests.of(type, random, 4)),
        async (request) => {
          const theirs = await throughSdk(
            method,
            request,
            StreamResponse.fromJSON({ message: {} }),
          );
          const ours = convert(mapping.types, operation.request, request, 1);
          expect(withNamedSchemes(withoutHurry(toJSON(fromJSON(ours)), request))).toEqual(
            withNamedSchemes(withoutHurry(toJSON(theirs.request), request)),
          );
        },
      );
      await fc.assert(property, { numRuns: casesOf(1_000) });
    },
  );

  it.each(callsWith("response"))(
    "the mapping and the SDK agree about the response of %s",
    async (name, { method, params, response }) => {
      const operation = operationOf(name);
      const [type, { fromJSON }] = response;
      const request =
        params === undefined
          ? {}
          : {
              id: "1",
              message: { kind: "message", messageId: "1", role: "user", parts: [] },
              pushNotificationConfig: {},
            };
      const property = fc.asyncProperty(
        arbitrary((random) => responses.of(type, random, 5)),
        async (value) => {
          const theirs = (await throughSdk(method, request, fromJSON(value))).response;
          fc.pre(theirs !== undefined || !hasNull(value));
          const last = (theirs as { final?: boolean }).final === true;
          const ours = convert(mapping.types, operation.response, value, 0, { last });
          const found = differ(withNamedSchemes(ours), withNamedSchemes(theirs));
          expect(found, JSON.stringify([value, ours, theirs], null, 1)).toEqual([]);
        },
      );
      await fc.assert(property, { numRuns: casesOf(1_000) });
    },
  );
});

/**
 * For the SDK, a call without `blocking` does not wait for the end of the task. For the text of 0.3
 * and this mapping, it does.
 */
function withoutHurry(core: unknown, request: unknown) {
  const { configuration } = request as { configuration?: { blocking?: boolean } };
  if (configuration === undefined || configuration.blocking !== undefined) return core;
  const found = core as { configuration?: object };
  return { ...found, configuration: { ...found.configuration, returnImmediately: undefined } };
}

/** Asks the SDK what the params of a call of 0.3 are in 1.0, and what a result of 1.0 is in 0.3. */
async function throughSdk(
  method: string,
  params: unknown,
  result: unknown,
): Promise<{ request: unknown; response: unknown }> {
  let request: unknown;
  const answer = (given: unknown) => {
    request = given;
    return result;
  };
  const events = (given: unknown): AsyncIterable<unknown> => {
    request = given;
    return ReadableStream.from([result]);
  };
  const streams = new Set<string | symbol>(["sendMessageStream", "resubscribe"]);
  const getAgentCard = () => ({ capabilities: { streaming: true } });
  const service = new Proxy(
    { getAgentCard },
    {
      get: (target, name) =>
        (Reflect.get(target, name) as unknown) ?? (streams.has(name) ? events : answer),
    },
  );
  const handler = new LegacyJsonRpcTransportHandler(service as never);
  const found: unknown = await handler.handle(
    { jsonrpc: "2.0", id: 1, method, params },
    undefined as never,
  );
  if (typeof found !== "object" || found === null) throw new Error("The SDK answers nothing");
  const envelope =
    Symbol.asyncIterator in found ? await firstOf(found as AsyncIterable<unknown>) : found;
  const { error, result: response } = envelope as { error?: unknown; result?: unknown };
  if (request === undefined) throw new Error(JSON.stringify(error));
  return { request, response };
}

async function firstOf(events: AsyncIterable<unknown>) {
  try {
    for await (const event of events) return event;
  } catch (error) {
    return { error };
  }
  return {};
}
