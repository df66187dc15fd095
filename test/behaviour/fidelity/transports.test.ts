import fc from "../../support/properties.js";
import protojson from "protobufjs/ext/protojson.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InvalidParamsError } from "../../../generated/0.3.0/errors.js";
import * as mappings from "../../../generated/0.3.0/protojson.js";
import { fromProtoJson, toProtoJson } from "../../../generated/0.3.0/runtime/protobuf/mapping.js";
import { Shapes } from "../../../generator/protocol/correlate/shape.js";
import type { OperationDef, TypeRef, ValueType } from "../../../generator/protocol/model/types.js";
import { valueAt } from "../../support/models.js";
import { findSource } from "../../support/output.js";
import { startEcho, type Echo } from "./agent.js";
import { needed } from "./forms.js";
import { readVersion, reflect } from "./versions.js";

const { protocol, values, expected, proto } = readVersion(findSource("0.3.0"));
const shapes = new Shapes(protocol.types);
const { operations } = protocol;
const bindings = ["jsonrpc", "rest", "grpc"] as const;
const cases = operations.flatMap((operation) =>
  bindings.map((over) => ({ over, operation, method: operation.method })),
);

const typeOf = (ref: TypeRef): ValueType | undefined => (ref.kind === "named" ? shapes.reference(ref.name) : undefined);

function namedType(ref: TypeRef): ValueType {
  if (ref.kind !== "named") throw new Error("There is no type");
  return shapes.reference(ref.name);
}

/** A path segment of dots would lead elsewhere; clients refuse it. */
const isSegment = (value: unknown): boolean => value !== "." && value !== "..";

/** Random requests that a server of the version accepts. */
function requestsOf({ request, demands = [] }: OperationDef): fc.Arbitrary<unknown> {
  const type = typeOf(request);
  if (type === undefined) return fc.constant({});
  return values(type).filter(
    (value) =>
      demands.every((path) => valueAt(value, [...path, "0"]) !== undefined) &&
      [["id"], ["taskId"], ["pushNotificationConfigId"]].every((path) => isSegment(valueAt(value, path))),
  );
}

/** The fields that a request cannot leave out over HTTP+JSON. */
function neededBy({ request }: OperationDef): (readonly string[])[] {
  const type = typeOf(request);
  const names = type === undefined ? [] : shapes.alternatives(type).map((one) => shapes.message(one)?.name);
  return protocol.losses
    .filter(({ type: owner, text }) => names.includes(owner) && text === needed)
    .map(({ field }) => field.split("."));
}

let echo: Echo;
beforeAll(async () => {
  echo = await startEcho();
});
afterAll(async () => {
  await echo.stop();
});

describe("between client and server of 0.3.0", () => {
  it.each(cases)("$method over $over carries all that the report does not name", async ({ over, operation }) => {
    const { request, response, streaming, method } = operation;
    const [asks, answers] = [typeOf(request), typeOf(response)];
    const one = answers === undefined ? fc.constant(undefined) : values(answers);
    const answer = streaming === "none" ? one : fc.array(one, { maxLength: 4 });
    const arrives = (type: ValueType | undefined, value: unknown): unknown =>
      type === undefined ? value : expected(type, value, over);
    const lacks = (value: unknown): boolean =>
      over === "rest" && neededBy(operation).some((path) => (valueAt(value, path) ?? "") === "");
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), answer, async (given, reply) => {
        if (lacks(given)) {
          await expect(echo.call(method, over, given)).rejects.toThrow(InvalidParamsError);
          return;
        }
        echo.answer = reply;
        const result = await echo.call(method, over, given);
        expect(echo.asked).toEqual(arrives(asks, given));
        if (Array.isArray(reply) && streaming !== "none")
          expect(result).toEqual(reply.map((event: unknown) => arrives(answers, event)));
        else expect(result).toEqual(arrives(answers, reply));
      }),
      { numRuns: 40 },
    );
  });
});

describe("a client of 0.3.0", () => {
  it.each([
    ["rest", ["", "a/b", ".", ".."]],
    ["grpc", ["", "a/b"]],
  ] as const)("sends nothing over %s for an id that has no place in a resource name", async (over, ids) => {
    for (const id of ids) {
      echo.asked = undefined;
      await expect(echo.call("getTask", over, { id })).rejects.toThrow(InvalidParamsError);
      expect(echo.asked).toBeUndefined();
    }
  });
});

describe("a server of 0.3.0 that is asked over HTTP+JSON", () => {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(echo.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return JSON.parse(text) as unknown;
  };
  const operation = (name: string): OperationDef => {
    const found = operations.find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no ${name}`);
    return found;
  };
  const send = operation("SendMessage");
  const [params, result] = [namedType(send.request), namedType(send.response)];
  const type = reflect(proto).lookupType("a2a.v1.SendMessageResponse");

  it("reads ProtoJSON as well as the JSON of the model, and answers in ProtoJSON", async () => {
    await fc.assert(
      fc.asyncProperty(requestsOf(send), values(result), async (given, reply) => {
        echo.answer = reply;
        const json = toProtoJson<unknown>(mappings.SendMessageRequestJson, given);
        const first = await post("/v1/message:send", json);
        expect(echo.asked).toEqual(expected(params, given, "rest"));
        const second = await post("/v1/message:send", given);
        expect(echo.asked).toEqual(given);
        expect(second).toEqual(first);
        expect(fromProtoJson<unknown>(mappings.SendMessageResponseJson, first)).toEqual(
          expected(result, reply, "rest"),
        );
        expect(() => protojson.fromJson(type, first)).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });

  it("reads either for a stream, whose events are ProtoJSON", async () => {
    const stream = operation("SendStreamingMessage");
    const event = namedType(stream.response);
    await fc.assert(
      fc.asyncProperty(requestsOf(stream), fc.array(values(event), { maxLength: 3 }), async (given, events) => {
        echo.answer = events;
        for (const body of [given, toProtoJson<unknown>(mappings.SendMessageRequestJson, given)]) {
          const headers = { "content-type": "application/json" };
          const init = { method: "POST", headers, body: JSON.stringify(body) };
          const text = await (await fetch(`${echo.url}/v1/message:stream`, init)).text();
          const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
          const arrived = data.map((json) => fromProtoJson<unknown>(mappings.StreamResponseJson, JSON.parse(json)));
          expect(arrived).toEqual(events.map((one) => expected(event, one, "rest")));
          expect(echo.asked).toEqual(body === given ? given : expected(params, given, "rest"));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("reads either where a field of the request is the body", async () => {
    const create = operation("CreateTaskPushNotificationConfig");
    const model = namedType(create.request);
    await fc.assert(
      fc.asyncProperty(requestsOf(create), async (given) => {
        echo.answer = given;
        const path = `/v1/tasks/${encodeURIComponent(String(valueAt(given, ["taskId"])))}/pushNotificationConfigs`;
        await post(path, toProtoJson<unknown>(mappings.TaskPushNotificationConfigJson, given));
        expect(echo.asked).toEqual(expected(model, given, "rest"));
        await post(path, given);
        expect(echo.asked).toEqual(given);
      }),
      { numRuns: 60 },
    );
  });
});
