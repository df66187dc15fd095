import { AgentCard, StreamResponse } from "@a2a-js/sdk";
import { legacyPushNotificationToV1StreamResponse } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransport, parseLegacyAgentCard } from "@a2a-js/sdk/compat/v0_3/client";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { describe, expect, it } from "vitest";
import { convert } from "../../library/runtime/versions/convert.js";
import fc, { arbitrary } from "../support/properties.js";
import { casesOf } from "./cases.js";
import { callsWith, type Call } from "./sdk-calls.js";
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

/**
 * For the SDK, every message has a role, and interfaces next to the main interface are of 0.3 for
 * any card.
 */
const values = [
  valuesOf(earlier, { "AgentCard.protocolVersion": "0.3" }),
  valuesOf(later, { "Message.role": "ROLE_USER" }),
] as const;

type ClientCall = Call & Required<Pick<Call, "client" | "request">>;

describe("the mapping of 0.3.0 and 1.0 and the requests of the SDK to agents of 0.3", () => {
  it.each(callsWith("client", "request"))(
    "the mapping and the SDK agree about the request of %s",
    async (name, call) => {
      const [type, { fromJSON }] = call.request;
      const property = fc.asyncProperty(
        arbitrary((random) => values[1].of(type, random, 4)),
        async (request) => {
          fc.pre(!hasNull(request));
          const { params } = await throughSdk(call, fromJSON(request), {});
          const ours = convert(mapping.types, operationOf(name).request, request, 0);
          expect(
            differ(withoutWords(ours), withoutWords(params)),
            JSON.stringify([request, ours, params], null, 1),
          ).toEqual([]);
        },
      );
      await fc.assert(property, { numRuns: casesOf(500) });
    },
  );

  it.each(callsWith("client", "request", "result"))(
    "the mapping and the SDK agree about the response of %s",
    async (name, call) => {
      const [type, { fromJSON, toJSON }] = call.result;
      const property = fc.asyncProperty(
        arbitrary((random) => values[0].of(type, random, 5)),
        async (result) => {
          const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "" }] };
          const { response } = await throughSdk(
            call,
            call.request[1].fromJSON({ message }),
            result,
          );
          const ours = convert(mapping.types, operationOf(name).response, result, 1);
          const own = response === undefined ? undefined : wrapped(name, response);
          expect(withNamedSchemes(toJSON(own)), JSON.stringify(result)).toEqual(
            withNamedSchemes(toJSON(fromJSON(ours))),
          );
        },
      );
      await fc.assert(property, { numRuns: casesOf(500) });
    },
  );

  it("the mapping and the SDK agree about the card that a client reads", () => {
    const property = fc.property(
      arbitrary((random) => values[0].of("AgentCard", random, 4)),
      (card) => {
        // The SDK refuses a scheme without a flow, which 1.0 does not have either.
        fc.pre(!JSON.stringify(card).includes('"flows":{}'));
        const ours = convert(mapping.types, mapping.card, card, 1);
        expect(AgentCard.toJSON(parseLegacyAgentCard(card))).toEqual(
          AgentCard.toJSON(AgentCard.fromJSON(ours)),
        );
      },
    );
    fc.assert(property, { numRuns: casesOf(500) });
  });

  it("the mapping and the SDK agree about the notifications for a webhook of 0.3 and their receiver", () => {
    const conversion = operationOf("SendStreamingMessage").response;
    const sent = fc.property(
      arbitrary((random) => values[1].of("StreamResponse", random, 5)),
      (event) => {
        fc.pre(!hasNull(event));
        const { body } = new V03PushNotificationSerializer().serialize(
          StreamResponse.fromJSON(event),
        );
        const theirs = JSON.parse(body) as { final?: boolean };
        // To the SDK, an event is the last one if the state of the task is; to this mapping, if the
        // stream ends.
        const ours = convert(mapping.types, conversion, event, 0, { last: theirs.final === true });
        expect(differ(ours, theirs), JSON.stringify([event, ours, theirs], null, 1)).toEqual([]);
      },
    );
    const received = fc.property(
      arbitrary((random) => values[0].of("StreamResponse", random, 5)),
      (event) => {
        const theirs = StreamResponse.toJSON(legacyPushNotificationToV1StreamResponse(event));
        const ours = convert(mapping.types, conversion, event, 1);
        expect(theirs).toEqual(StreamResponse.toJSON(StreamResponse.fromJSON(ours)));
      },
    );
    fc.assert(sent, { numRuns: casesOf(500) });
    fc.assert(received, { numRuns: casesOf(500) });
  });
});

/**
 * The SDK sends explicitly that a call waits if 1.0 omits it, which both versions read in the same
 * way. It also accepts an empty list of modes, which both versions read as all modes.
 */
function withoutWords(params: unknown) {
  const { configuration, ...others } = params as {
    configuration?: Readonly<Record<string, unknown>>;
  };
  if (configuration === undefined) return params;
  const { blocking, acceptedOutputModes, ...rest } = configuration;
  const isSaid = Array.isArray(acceptedOutputModes) && acceptedOutputModes.length > 0;
  return {
    ...others,
    configuration: {
      ...rest,
      ...(blocking === false && { blocking }),
      ...(isSaid && { acceptedOutputModes }),
    },
  };
}

/** The SDK returns a task or a message, without what tells one from the other in 1.0. */
function wrapped(name: string, response: unknown) {
  if (name !== "SendMessage") return response;
  const isMessage = typeof response === "object" && response !== null && "messageId" in response;
  return { payload: { $case: isMessage ? "message" : "task", value: response } };
}

/** Asks the SDK what the params of a request are in 0.3, and what a result of 0.3 is in 1.0. */
async function throughSdk(
  { client, streams = false }: ClientCall,
  request: unknown,
  result: unknown,
) {
  let params: unknown;
  const fetchImpl: typeof fetch = async (_, init) => {
    const body = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as {
      id: number;
      params: unknown;
    };
    params = body.params;
    const answer = JSON.stringify({ jsonrpc: "2.0", id: body.id, result });
    const type = streams ? "text/event-stream" : "application/json";
    return await Promise.resolve(
      new Response(streams ? `data: ${answer}\n\n` : answer, { headers: { "content-type": type } }),
    );
  };
  const transport = new LegacyJsonRpcTransport({ endpoint: "http://127.0.0.1/", fetchImpl });
  const call = Reflect.get(transport, client) as (given: unknown) => unknown;
  try {
    const found = call.call(transport, request);
    if (!streams) return { params: await settled(found, () => params), response: await found };
    for await (const response of found as AsyncIterable<unknown>) return { params, response };
  } catch (error) {
    if (params === undefined) throw error;
  }
  return { params, response: undefined };
}

async function settled(found: unknown, params: () => unknown) {
  await found;
  return params();
}
