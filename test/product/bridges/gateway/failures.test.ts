import { setTimeout as after } from "node:timers/promises";
import { createServer } from "node:http";
import { Server as GrpcServer } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../../examples/shared/ports.js";
import type { A2AError, A2AService } from "../../../../generated/1.0/index.js";
import { aCard } from "../../../support/cards.js";
import { drain, failureOf } from "../../../support/everywhere.js";
import { serve } from "../../../support/http.js";
import {
  events,
  gatewayTo,
  gatewayToService,
  message,
  output,
  result,
  status,
  task,
} from "./upstream.js";

describe("an upstream that fails", () => {
  const internals = /agent\.test|10\.0\.0\.7|ECONN|secret|fetch/i;

  it("callers of an unreachable upstream get an internal error without details", async () => {
    const { client, errors, fetch } = await gatewayTo(() => {
      throw Object.assign(new TypeError("fetch failed"), {
        cause: new Error("connect ECONNREFUSED 10.0.0.7:443"),
      });
    });
    const failure = await failureOf(client.getTask({ id: "t" }));
    expect(failure).toMatchObject({ name: "InternalError" });
    expect(String(failure)).not.toMatch(internals);
    const response = await fetch(
      new Request("http://gateway.test/tasks/t", { headers: { "a2a-version": "1.0" } }),
    );
    expect(response.status).toBe(502);
    expect(await response.text()).not.toMatch(internals);
    // Only the operator sees the cause.
    expect(errors).toContainEqual(expect.objectContaining({ name: "TransportError" }));
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject({
      name: "InternalError",
    });
  });

  it.each([
    ["responds with HTML", () => new Response("<html>10.0.0.7 secret</html>", { status: 500 })],
    ["responds with half of its JSON", () => new Response('{"jsonrpc":"2.0","result":{"sec')],
    ["responds with another type", () => new Response(result({ secret: 1 }))],
    ["redirects", () => new Response(null, { status: 302, headers: { location: "http://x" } })],
  ])("callers see nothing of the response of an upstream that %s", async (_, respond) => {
    const { client } = await gatewayTo(() => {
      const response = respond();
      if (response.status === 200) response.headers.set("content-type", "application/json");
      return response;
    });
    const failure = await failureOf(client.getTask({ id: "t" }));
    expect(failure).toMatchObject({
      name: expect.stringMatching(/^(?:InternalError|InvalidAgentResponseError)$/) as string,
    });
    expect(`${String(failure)}${JSON.stringify(failure)}`).not.toMatch(internals);
  });

  describe.each(["JSONRPC", "HTTP+JSON", "GRPC"])("over %s", (protocolBinding) => {
    /** Returns a gateway in front of an agent whose calls and streams throw an error. */
    async function gatewayToFailing(error: A2AError) {
      const { own } = output;
      const fail = () => {
        throw error;
      };
      const service: A2AService = {
        getTask: fail,
        async *sendStreamingMessage() {
          await Promise.resolve();
          yield { task };
          fail();
        },
      };
      if (protocolBinding !== "GRPC") {
        const interfaces = [{ url: "http://agent.test", protocolBinding, protocolVersion: "1.0" }];
        return gatewayToService(service, {}, aCard(interfaces));
      }
      const grpc = new GrpcServer();
      const { definition, implementation } = own.grpcService(
        own.createAgent({ card: aCard("http://agent.test"), service, onError: () => undefined }),
      );
      grpc.addService(definition, implementation);
      const { grpcUrl: url } = await listen(createServer(), grpc, { host: "127.0.0.1" });
      onTestFinished(() => {
        grpc.forceShutdown();
      });
      const transports = [own.grpc()];
      const card = aCard([{ url, protocolBinding, protocolVersion: "1.0" }]);
      return gatewayTo(() => Response.error(), { connect: { transports } }, card);
    }

    it("callers see nothing of an internal error of the upstream", async () => {
      const { InternalError, A2AError } = output.own;
      const text = "Cannot read 10.0.0.7:5432: password secret";
      const details = [{ "@type": "type.googleapis.com/google.rpc.DebugInfo", detail: text }];
      for (const thrown of [
        new InternalError(text, { details, metadata: { text }, retryAfterSeconds: 7 }),
        new A2AError(text, { details, retryAfterSeconds: 7 }),
      ]) {
        const { client, errors } = await gatewayToFailing(thrown);
        const { elements, failure } = await drain(client.sendStreamingMessage({ message }));
        expect(elements).toEqual([{ task }]);
        const failures = [await failureOf(client.getTask({ id: "t" })), failure];
        for (const each of failures) {
          expect(each).toMatchObject({
            name: "InternalError",
            message: "The agent behind this gateway failed",
          });
          expect(`${String(each)}${JSON.stringify(each)}`).not.toMatch(internals);
        }
        expect(failures[0]).toMatchObject({ retryAfterSeconds: 7 });
        // Only the operator sees the text.
        expect(errors.map(String)).toEqual([
          expect.stringContaining(text) as string,
          expect.stringContaining(text) as string,
        ]);
      }
    });

    it("callers get the text of an error that the protocol defines", async () => {
      const { InvalidParamsError, TaskNotFoundError } = output.own;
      for (const thrown of [
        new TaskNotFoundError("No task t since Monday", { metadata: { since: "Monday" } }),
        new InvalidParamsError("The field id is too short"),
      ]) {
        const { client, errors } = await gatewayToFailing(thrown);
        const { name, message, metadata } = thrown;
        expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject({
          name,
          message,
          metadata,
        });
        expect(errors).toEqual([]);
      }
    });
  });

  it("callers get the text of an error whose code the upstream has chosen", async () => {
    const error = { code: -32_050, message: "The quota of this month is used up" };
    const { client } = await gatewayTo(() => Response.json({ jsonrpc: "2.0", id: 1, error }));
    expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject({
      jsonRpcCode: error.code,
      message: error.message,
    });
  });

  it("a stream that breaks off ends the stream of the caller with an error", async () => {
    const { client } = await gatewayTo(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(`data: ${result({ task })}\n\n`));
            },
            pull(controller) {
              controller.error(new Error("read ECONNRESET 10.0.0.7"));
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    const { elements, failure } = await drain(client.sendStreamingMessage({ message }));
    expect(elements).toEqual([{ task }]);
    expect(failure).toMatchObject({ name: "InternalError" });
    expect(String(failure)).not.toMatch(internals);
  });

  it("an invalid event ends the stream of the caller with an error", async () => {
    const { client, errors } = await gatewayTo(() =>
      events(result({ task }), result({ statusUpdate: { secret: 1 } })),
    );
    const { elements, failure } = await drain(client.sendStreamingMessage({ message }));
    expect(elements).toEqual([{ task }]);
    expect(failure).toMatchObject({ name: "InvalidAgentResponseError" });
    expect(String(failure)).not.toMatch(/secret|statusUpdate/);
    expect(errors).toHaveLength(1);
  });

  it("responses and the first event of a stream have a time-out", async () => {
    const { client, fetch } = await gatewayTo(() => new Promise(() => undefined), {
      timeoutMs: 20,
    });
    const expected = {
      name: "InternalError",
      message: "The agent behind this gateway did not respond in time",
    };
    expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject(expected);
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject(expected);
    const response = await fetch(
      new Request("http://gateway.test/tasks/t", { headers: { "a2a-version": "1.0" } }),
    );
    expect(response.status).toBe(504);
  });

  it("responses and events have the limits of the client", async () => {
    const large = { ...task, metadata: { text: "x".repeat(5_000) } };
    const { client } = await gatewayTo(
      (request) =>
        request.headers.get("accept")?.includes("event-stream") === true
          ? events(result({ task: large }))
          : Response.json({ jsonrpc: "2.0", id: 1, result: large }),
      { connect: { maxResponseBytes: 1_000, maxEventBytes: 1_000 } },
    );
    expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject({ name: "InternalError" });
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject({
      name: "InternalError",
    });
  });

  it("an endless stream is read as fast as the caller reads, and ends when the caller leaves", async () => {
    let sent = 0;
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { client } = await gatewayTo(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              await after(0);
              sent += 1;
              const update = { taskId: "t", contextId: "c", status };
              const event = sent === 1 ? { task } : { statusUpdate: update };
              controller.enqueue(new TextEncoder().encode(`data: ${result(event)}\n\n`));
            },
            cancel() {
              leave();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    for await (const event of client.sendStreamingMessage({ message }))
      if (event.statusUpdate !== undefined) break;
    await left;
    // The platform reads ahead a little.
    expect(sent).toBeLessThan(50);
  });

  it("a caller can leave the stream of an upstream that is silent", async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { client } = await gatewayToService({
      async *sendStreamingMessage(_, { signal }) {
        signal.addEventListener("abort", leave);
        yield { task };
        await new Promise(() => undefined);
      },
    });
    for await (const event of client.sendStreamingMessage({ message })) {
      expect(event).toEqual({ task });
      break;
    }
    await left;
  });

  it("an unreachable upstream is a clear error at the start", async () => {
    const { url } = await serve((_, response) => response.writeHead(404).end());
    const options = { upstream: `${url}/none`, url: "http://gateway.test" };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({
      name: "TransportError",
      message: expect.stringContaining(url) as string,
    });
  });

  it("a card without usable interfaces is refused at the start", async () => {
    const interfaces = [{ url: "x:1", protocolBinding: "PIGEON", protocolVersion: "1.0" }];
    const options = { upstream: aCard(interfaces), url: "http://gateway.test" };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({ name: "TransportError" });
  });
});
