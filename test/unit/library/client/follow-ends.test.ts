import { describe, expect, it } from "vitest";
import { InvalidParamsError, TaskNotFoundError } from "../../../../generated/1.1-draft/errors.js";
import { A2AClient, jsonRpcTransport } from "../../../../generated/1.1-draft/index.js";
import { followTask, type Followed } from "../../../support/bound-kit.js";
import { Agent, broken, lost, request, type Fault, type Moment } from "./follow-agent.js";
import { at, log, words } from "./follow-seen.js";

describe("a follower that ends with an error", () => {
  it.each<[string, Error, number]>([
    ["that the next call would also end with", new TaskNotFoundError(), 2],
    ["of the call itself", new InvalidParamsError(), 2],
    ["of a connection that cannot be restored", lost(), 5],
    ["of an agent that keeps failing", broken(), 5],
  ])("a follower throws an error %s", async (_, error, calls) => {
    const fault = ({ method, event }: Moment): Fault =>
      method === "subscribeToTask" || event?.artifactUpdate !== undefined ? error : undefined;
    const agent = new Agent(log, {
      streaming: true,
      fault: (moment) => (moment.happened > 0 ? fault(moment) : undefined),
    });
    const following = followTask(agent, request, { ...at, retries: 3 });
    const seen: Followed[] = [];
    const read = async () => {
      for await (const each of following) seen.push(each);
    };
    await expect(read()).rejects.toThrow(error);
    expect(words(seen)).toEqual(["task submitted", "working"]);
    expect(agent.calls.length).toBeLessThanOrEqual(calls);
    await expect(following.result()).rejects.toThrow(error);
  });

  it("a follower of a closed client ends without another attempt", async () => {
    const client = new A2AClient({ transport: jsonRpcTransport("http://127.0.0.1:1") });
    client.close();
    const attempts: number[] = [];
    const delayMs = (attempt: number) => (attempts.push(attempt), 0);
    const followings = [
      followTask(client, { id: "t" }, { delayMs }),
      followTask(client, request, { delayMs }),
    ];
    for (const each of followings)
      await expect(each.result()).rejects.toThrow("The client is closed");
    expect([client.isClosed, attempts]).toEqual([true, []]);
  });

  it("a follower ends immediately if its signal aborts, together with its stream", async () => {
    const agent = new Agent(log, {
      streaming: true,
      fault: ({ event }) => (event?.artifactUpdate ? "hang" : undefined),
    });
    const controller = new AbortController();
    const following = followTask(agent, request, { ...at, signal: controller.signal });
    await following.next();
    await following.next();
    const next = following.next();
    controller.abort(new Error("Enough"));
    await expect(next).rejects.toThrow("Enough");
    await expect.poll(() => agent.open).toBe(0);
    expect(agent.methods).toEqual(["sendStreamingMessage"]);
  });
});

describe("leaving the loop of a follower", () => {
  it("leaving the loop ends the running call and cancels no task", async () => {
    const agent = new Agent(log, {
      streaming: true,
      fault: ({ event }) => (event?.artifactUpdate ? "hang" : undefined),
    });
    const following = followTask(agent, request, at);
    for await (const { event } of following) if (event.statusUpdate !== undefined) break;
    expect(agent.methods).toEqual(["sendStreamingMessage"]);
    await expect.poll(() => agent.open).toBe(0);
    await expect(following.result()).rejects.toThrow("stopped");
  });

  it("leaving the loop ends the wait for the next call", async () => {
    const agent = new Agent(log, { streaming: false });
    const following = followTask(agent, request, { delayMs: () => 2 ** 30 });
    await following.next();
    const next = following.next();
    await following.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(agent.methods).toEqual(["sendMessage"]);
  });
});
