import { afterAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents } from "./agent.js";
import { everywhere, expectAlive, reasonOf } from "./everywhere.js";

import { v03, v10 } from "./subjects.js";
import { callGrpc, get, grpcOf, metadataOf, post, rpcOf, send } from "./wire.js";

afterAll(stopAgents);

const request = { message: v10.samples.message };
const oddVersions = [
  "2.0",
  "1.1",
  "1",
  "1.",
  "v1.0",
  "1.0 .1",
  "1,0",
  "1.0, 1.0",
  "-1.0",
  "10.0",
  "01.0",
  "1.00",
  "latest",
  "null",
  "'; drop",
  "1.0".repeat(1000),
];

describe.concurrent("the version of a call of 1.0", () => {
  it.each(["1.0", "1.0.0", "1.0.1", "1.0.99", "1.0-rc", "1.0+build"])(
    "the version may be %j",
    async (asked) => {
      const agent = await startAgent(v10);
      const outcome = await everywhere(agent, "SendMessage", request, { "a2a-version": asked });
      expect(outcome.value).toEqual(request);
    },
  );

  it.each(["0.3", ...oddVersions])("the version is not served: %s", async (asked) => {
    const agent = await startAgent(v10);
    const outcome = await everywhere(agent, "SendMessage", request, { "a2a-version": asked });
    expect(outcome.error?.codes).toEqual([-32009, 400, 9]);
    expect(outcome.error?.rest).toMatchObject([
      {
        reason: "VERSION_NOT_SUPPORTED",
        domain: "a2a-protocol.org",
        metadata: { supportedVersions: "1.0" },
      },
    ]);
    expect(JSON.stringify(outcome.error).length).toBeLessThan(1000);
    await expectAlive(agent);
  });

  it("the version is 0.3 if a call names none, unless the agent assumes another version", async () => {
    const strict = await startAgent(v10);
    const lenient = await startAgent(v10, {}, { agent: { assumeVersion: "1.0" } });
    for (const headers of [{}, { "a2a-version": "" }]) {
      expect(reasonOf(await everywhere(strict, "SendMessage", request, headers))).toBe(
        "VERSION_NOT_SUPPORTED",
      );
      expect((await everywhere(lenient, "SendMessage", request, headers)).value).toEqual(request);
    }
  });

  it("the version may be a query parameter, and the header takes precedence", async () => {
    const agent = await startAgent(v10);
    const ask = async (query: string, headers: Record<string, string> = {}) =>
      (await send(agent, { method: "GET", path: `/tasks/t1?${query}`, headers })).status;
    expect(await ask("A2A-Version=1.0")).toBe(200);
    expect(await ask("a2a-version=1.0.1")).toBe(200);
    expect(await ask("A2A-Version=0.3")).toBe(400);
    expect(await ask("A2A-Version=%zz")).toBe(400);
    expect(await ask("A2A-Version=0.3", v10.headers)).toBe(200);
    expect(await ask("A2A-Version=1.0", { "a2a-version": "0.3" })).toBe(400);
    expect(await ask("", { "a2a-version": " 1.0 " })).toBe(200);
    const body = JSON.stringify(rpcOf(v10, "SendMessage", request));
    const headers = { "content-type": "application/json" };
    const reply = await send(agent, { path: "/rpc?A2A-Version=1.0", headers, body });
    expect(reply.json).toHaveProperty("result");
  });

  it("the version is checked before the request", async () => {
    const agent = await startAgent(v10);
    const outcome = await everywhere(agent, "SendMessage", {}, { "a2a-version": "0.3" });
    expect(reasonOf(outcome)).toBe("VERSION_NOT_SUPPORTED");
  });
});

describe.concurrent("the extensions that the card of 1.0 requires", () => {
  const needy = {
    ...v10.samples.card,
    capabilities: {
      ...(v10.samples.card["capabilities"] as object),
      extensions: [{ uri: "urn:a", required: true }, { uri: "urn:b" }],
    },
  };

  it("a call must request the required extensions", async () => {
    const agent = await startAgent(v10, {}, { agent: { card: needy } });
    for (const asked of [undefined, "", "urn:b", "urn:A", "urn:a/x", ",,,", "urn:a;q=1"]) {
      const headers =
        asked === undefined ? v10.headers : { ...v10.headers, "a2a-extensions": asked };
      const outcome = await everywhere(agent, "SendMessage", request, headers);
      expect(outcome.error?.codes).toEqual([-32008, 400, 9]);
      expect(outcome.error?.rest).toMatchObject([
        { reason: "EXTENSION_SUPPORT_REQUIRED", metadata: { extension: "urn:a" } },
      ]);
    }
    for (const asked of ["urn:a", "urn:b,urn:a", "urn:a , urn:c", ",urn:a,,", "urn:a,urn:a"]) {
      const outcome = await everywhere(agent, "SendMessage", request, {
        ...v10.headers,
        "a2a-extensions": asked,
      });
      expect(outcome.value).toEqual(request);
    }
  });
});

describe.concurrent.each([
  { subject: v10, header: "a2a-extensions", version: "1.0" },
  { subject: v03, header: "x-a2a-extensions", version: "0.3.0" },
])("the extensions that a call of $version requests", ({ subject, header }) => {
  const path = `${subject.base}/tasks/t1`;

  it("each extension reaches the service once, regardless of the number of extensions", async () => {
    let seen: readonly string[] = [];
    const agent = await startAgent(subject, {
      getTask: (_: unknown, context: { extensions: readonly string[] }) => {
        seen = context.extensions;
        return subject.samples.task("t1");
      },
    });
    const list = Array.from({ length: 1000 }, (_, index) => `urn:x:${index % 500}`).join(",");
    await get(agent, path, { [header]: list });
    expect(seen).toHaveLength(500);
    await post(agent, "/rpc", rpcOf(subject, "GetTask", { id: "t1" }), {
      [header]: ["urn:a", "urn:b, urn:a"],
    });
    expect(seen).toEqual(["urn:a", "urn:b"]);
    const metadata = metadataOf({ ...subject.headers, [header]: "urn:c,,urn:c" });
    await callGrpc(agent, { ...grpcOf(subject, "GetTask", { id: "t1" }), metadata });
    expect(seen).toEqual(["urn:c"]);
  });

  it("the response names exactly the active extensions", async () => {
    const use = (uri: string) => ({
      getTask: (_: unknown, context: { activateExtension(uri: string): void }) => {
        context.activateExtension(uri);
        return subject.samples.task("t1");
      },
    });
    const agent = await startAgent(subject, use("urn:a"));
    const overRest = await get(agent, path);
    const overRpc = await post(agent, "/rpc", rpcOf(subject, "GetTask", { id: "t1" }));
    expect([overRest.headers[header], overRpc.headers[header]]).toEqual(["urn:a", "urn:a"]);
    const hostile = await startAgent(subject, use("urn:a\r\nset-cookie: x=y"));
    const reply = await get(hostile, path);
    expect([reply.status, reply.headers["set-cookie"]]).toEqual([500, undefined]);
    expect(hostile.faults).toHaveLength(1);
  });
});

describe.concurrent("version and extensions of a call of 0.3.0", () => {
  const message = { message: v03.samples.message };

  it.each(["0.3", "0.3.0", "1.0", "", ...oddVersions])(
    "a call may name any version: %s",
    async (asked) => {
      const agent = await startAgent(v03);
      const outcome = await everywhere(agent, "SendMessage", message, { "a2a-version": asked });
      expect(outcome.value).toEqual(message.message);
      expect(agent.faults).toEqual([]);
    },
  );

  it("a call need not name the required extensions, because the version has no error for that", async () => {
    const capabilities = { extensions: [{ uri: "urn:a", required: true }, { uri: "urn:b" }] };
    const agent = await startAgent(
      v03,
      {},
      { agent: { card: { ...v03.samples.card, capabilities } } },
    );
    for (const headers of [
      {},
      { "x-a2a-extensions": "" },
      { "x-a2a-extensions": ",,," },
      { "a2a-extensions": "urn:a" },
    ]) {
      expect((await everywhere(agent, "SendMessage", message, headers)).value).toEqual(
        message.message,
      );
    }
  });
});
