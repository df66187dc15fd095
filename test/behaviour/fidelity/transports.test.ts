import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isMessageSendParams } from "../../../generated/0.3.0/index.js";
import * as mappings from "../../../generated/0.3.0/protojson.js";
import { fromProtoJson, toProtoJson } from "a2a-codegen-runtime/internal/protobuf";
import type { OperationDef } from "../../../generator/protocol/model/types.js";
import fc, { arbitrary } from "../../support/properties.js";
import { changed } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { valueAt } from "../../support/random/values.js";
import { eventsOf, jsonOf, send } from "../../support/raw.js";
import { startScripted, type Scripted } from "../../support/scripted.js";
import { carriedBy } from "../carried.js";

const carried = carriedBy("0.3.0");
let agent: Scripted;
beforeAll(async () => {
  agent = await startScripted("0.3.0");
});
afterAll(() => agent.close());

function operation(name: string) {
  const found = carried.operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Missing: ${name}`);
  return found;
}

/** Tries an exchange that is random many times. */
async function exchange(
  tried: OperationDef,
  attempt: (given: unknown, reply: unknown, random: Random) => Promise<void>,
) {
  const property = fc.asyncProperty(
    arbitrary(
      (random) =>
        [carried.request(tried, random), carried.response(tried, random), random] as const,
    ),
    ([given, reply, random]) => attempt(given, reply, random),
  );
  await fc.assert(property, { numRuns: 60 });
}

/** Posts a body that the agent accepts. */
async function post(path: string, body: unknown) {
  agent.request = undefined;
  const answer = await send("POST", new URL(path, agent.url), body);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

describe("a server of 0.3.0 over HTTP+JSON", () => {
  it("the server reads ProtoJSON and the JSON of the model, and responds in ProtoJSON", async () => {
    const send = operation("SendMessage");
    await exchange(send, async (given, reply) => {
      agent.response = reply;
      const first = jsonOf(
        await post("v1/message:send", toProtoJson<unknown>(mappings.SendMessageRequestJson, given)),
      );
      expect(agent.request).toEqual(carried.arrives(send.request, given, "HTTP+JSON"));
      const second = jsonOf(await post("v1/message:send", given));
      expect(agent.request).toEqual(given);
      expect(second).toEqual(first);
      expect(fromProtoJson<unknown>(mappings.SendMessageResponseJson, first)).toEqual(
        carried.arrives(send.response, reply, "HTTP+JSON"),
      );
    });
  });

  it("the server reads both forms for a stream, whose events are ProtoJSON", async () => {
    const stream = operation("SendStreamingMessage");
    await exchange(stream, async (given, event) => {
      agent.response = [event, event];
      for (const body of [given, toProtoJson<unknown>(mappings.SendMessageRequestJson, given)]) {
        const arrived = eventsOf(await post("v1/message:stream", body)).map((json) =>
          fromProtoJson<unknown>(mappings.StreamResponseJson, json),
        );
        const expected = carried.arrives(stream.response, event, "HTTP+JSON");
        expect(arrived).toEqual([expected, expected]);
        expect(agent.request).toEqual(
          body === given ? given : carried.arrives(stream.request, given, "HTTP+JSON"),
        );
      }
    });
  });

  it("the server reads both forms if a field of the request is the body", async () => {
    const create = operation("CreateTaskPushNotificationConfig");
    await exchange(create, async (given) => {
      agent.response = given;
      const path = `v1/tasks/${encodeURIComponent(String(valueAt(given, ["taskId"])))}/pushNotificationConfigs`;
      await post(path, toProtoJson<unknown>(mappings.TaskPushNotificationConfigJson, given));
      expect(agent.request).toEqual(carried.arrives(create.request, given, "HTTP+JSON"));
      await post(path, given);
      expect(agent.request).toEqual(given);
    });
  });

  it("the server never passes a request with invalid types to the service, whatever the body contains", async () => {
    await exchange(operation("SendMessage"), async (given, reply, random) => {
      for (const body of [given, toProtoJson<unknown>(mappings.SendMessageRequestJson, given)]) {
        [agent.response, agent.request] = [reply, undefined];
        const { status } = await send(
          "POST",
          new URL("v1/message:send", agent.url),
          changed(body, random) ?? null,
        );
        expect(
          status === 200 ? isMessageSendParams(agent.request) : [status, agent.request],
        ).toEqual(status === 200 ? true : [400, undefined]);
      }
    });
  });
});
