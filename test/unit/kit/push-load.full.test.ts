import { createServer } from "node:http";
import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { posted, startSender, taskWithWebhook } from "../../support/push.js";
import { Random } from "../../support/random/random.js";
import { seed } from "../../support/seed.js";

describe("a thousand tasks with a webhook that is slow and fails half of the time", () => {
  const taskCount = 1_000;
  const updates = 10;

  /** Starts the webhook; returns what it took, by task, in the order in which it took it. */
  async function startSlow(random: Random) {
    const taken = new Map<string, number[]>();
    let posts = 0;
    const server = createServer((request, response) => {
      let text = "";
      posts += 1;
      request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      request.on("end", () => {
        const [id, generation] = posted(text);
        const kind = random.below(8);
        // What it takes and does not confirm comes again.
        if (kind >= 3) taken.set(id, [...(taken.get(id) ?? []), generation]);
        setTimeout(() => (kind === 3 ? response.destroy() : response.writeHead(kind > 3 ? 204 : 500).end()), kind);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    return { url, taken, server, posts: () => posts };
  }

  const countOf = (kind: RegExp) => process.getActiveResourcesInfo().filter((each) => kind.test(each)).length;

  const cleanUps: (() => unknown)[] = [];
  afterEach(() => Promise.all(cleanUps.splice(0).map((clean) => clean())));

  it("delivers every update at least once and in the order of its task, and leaves nothing open", async () => {
    const before = { timers: countOf(/Timeout/), sockets: countOf(/TCP/) };
    const { url, taken, server, posts } = await startSlow(new Random(seed));
    cleanUps.push(() => server.close());
    const { store, sender, errors } = startSender({
      options: { maxParallelPerHost: 50, maxAttempts: 100, closeWithinMs: 1_000 },
    });
    const ids = Array.from({ length: taskCount }, (_, index) => `t${index}`);
    const tasks = await Promise.all(ids.map((id) => taskWithWebhook(store, id, { url })));
    for (let update = 0; update < updates; update += 1) for (const task of tasks) await task.append(1);
    const firsts = (id: string): number[] => [...new Set(taken.get(id))];
    await vi.waitFor(() => expect(ids.filter((id) => firsts(id).length < updates)).toEqual([]), {
      timeout: 100_000,
      interval: 200,
    });
    const inOrder = Array.from({ length: updates }, (_, index) => index + 2);
    const sorted = (list: readonly number[] = []) => list.every((each, at) => at === 0 || each >= (list[at - 1] ?? 0));
    expect(ids.filter((id) => firsts(id).join() !== inOrder.join() || !sorted(taken.get(id)))).toEqual([]);
    expect(errors).toEqual([]);
    expect(posts()).toBeGreaterThan(taskCount * updates * 1.5);
    await sender.close();
    expect(countOf(/Timeout/)).toBeLessThanOrEqual(before.timers);
    server.closeAllConnections();
    server.close();
    await vi.waitFor(() => expect(countOf(/TCP/)).toBeLessThanOrEqual(before.sockets));
  });
});
