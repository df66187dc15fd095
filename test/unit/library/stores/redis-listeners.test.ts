import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { Redis } from "ioredis";
import { connectionOf } from "../../../../library/stores/redis/clients.js";
import { Proxy } from "../../../cluster/proxy.js";
import { Random } from "../../../support/random/random.js";
import { noRedis, RedisServer } from "../../../support/redis.js";

/** Collects the rejections of this process that are handled by no code. */
function unhandledRejections(): readonly unknown[] {
  const reasons: unknown[] = [];
  const add = (reason: unknown) => reasons.push(reason);
  process.on("unhandledRejection", add);
  onTestFinished(() => {
    process.off("unhandledRejection", add);
  });
  return reasons;
}

/** Starts a server, and creates a client of `ioredis` that is connected through a proxy. */
async function start() {
  const server = new RedisServer();
  onTestFinished(() => server.stop());
  await server.start();
  const proxy = await Proxy.to({ host: "127.0.0.1", port: server.port }, new Random(1));
  onTestFinished(() => proxy.close());
  const client = new Redis(`redis://${proxy.address}`);
  client.on("error", () => undefined);
  onTestFinished(() => {
    client.disconnect();
  });
  let subscriber: Redis | undefined;
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => (subscriber = duplicate(override));
  return {
    client,
    proxy,
    /** Returns the subscriber that the client has created. */
    subscriber: () => {
      if (subscriber === undefined) throw new Error("The client has created no subscriber");
      return subscriber;
    },
    /** Ends the connection of the subscriber, which then opens a new connection. */
    endSubscription: () => server.io().call("CLIENT", "KILL", "TYPE", "pubsub"),
  };
}

/** Resolves when a listener is called for the first time. */
function called() {
  let call: () => void = () => undefined;
  const isCalled = new Promise<void>((resolve) => {
    call = resolve;
  });
  return { call, isCalled };
}

describe.skipIf(noRedis !== undefined)(
  `notifications by a client of ioredis${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    it("arrive once after the subscriber has reconnected", async () => {
      const { client, subscriber, endSubscription } = await start();
      const messages: string[] = [];
      const all = called();
      let listening = called();
      const close = connectionOf(client).listenTo(["one", "other"])({
        onListening: () => {
          listening.call();
        },
        onMessage: (message) => {
          messages.push(message);
          if (message === "end") all.call();
        },
        onEnd: () => undefined,
      });
      onTestFinished(close);
      await listening.isCalled;
      const ready = once(subscriber(), "ready");
      await endSubscription();
      await ready;
      listening = called();
      await listening.isCalled;
      await client.publish("one", "a");
      await client.publish("other", "b");
      await client.publish("one", "end");
      await all.isCalled;
      expect(messages).toEqual(["a", "b", "end"]);
    });

    it("leave no unhandled rejection if the subscriber is closed while it subscribes again", async () => {
      const rejections = unhandledRejections();
      const { client, proxy, subscriber, endSubscription } = await start();
      const listening = called();
      const close = connectionOf(client).listenTo(["one"])({
        onListening: listening.call,
        onMessage: () => undefined,
        onEnd: () => undefined,
      });
      await listening.isCalled;
      const ended = once(subscriber(), "end");
      subscriber().once("ready", () => {
        // The client has sent its subscriptions. No response arrives.
        void proxy.swallow("silence", 1);
        close();
      });
      await endSubscription();
      await ended;
      // Node.js reports unhandled rejections after all callbacks of promises.
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
    });
  },
);
