import { describe, expect, it, vi } from "vitest";
import { serve } from "../../../../support/http.js";
import { posted, startSender, taskWithWebhook } from "../../../../support/push.js";
import { Random } from "../../../../support/random/random.js";
import { seed } from "../../../../support/seed.js";

const taskCount = 1_000;
const updates = 10;

/**
 * Starts a webhook that is slow and fails half of the time; returns what it took, by task, in the
 * order it came.
 */
async function startSlow(random: Random) {
  const taken = new Map<string, number[]>();
  const { url, requests } = await serve(({ body }, response) => {
    const [id, generation] = posted(body);
    const kind = random.below(8);
    // Notifications that it receives and does not confirm are repeated.
    if (kind >= 3) taken.set(id, [...(taken.get(id) ?? []), generation]);
    setTimeout(
      () => (kind === 3 ? response.destroy() : response.writeHead(kind > 3 ? 204 : 500).end()),
      kind,
    );
  });
  return { url, requests, taken };
}

function countOf(kind: string): number {
  return process.getActiveResourcesInfo().filter((each) => each === kind).length;
}

describe("a thousand tasks with a slow webhook that fails half of the time", () => {
  it("each update is delivered at least once and in the order of its task, and nothing stays open", async () => {
    const [timers, sockets] = [countOf("Timeout"), countOf("TCPSocketWrap")];
    const { url, requests, taken } = await startSlow(new Random(seed));
    const { store, sender, errors } = startSender({
      options: { maxParallelPerHost: 50, maxAttempts: 100 },
    });
    const ids = Array.from({ length: taskCount }, (_, index) => `t${index}`);
    const tasks = await Promise.all(ids.map((id) => taskWithWebhook(store, id, { url })));
    for (let update = 0; update < updates; update += 1)
      for (const task of tasks) await task.append(1);
    const firsts = (id: string): number[] => [...new Set(taken.get(id))];
    await vi.waitFor(() => expect(ids.filter((id) => firsts(id).length < updates)).toEqual([]), {
      timeout: 250_000,
      interval: 200,
    });
    const inOrder = Array.from({ length: updates }, (_, index) => index + 2);
    const isSorted = (list: readonly number[] = []) =>
      list.every((each, at) => at === 0 || each >= (list[at - 1] ?? 0));
    expect(
      ids.filter((id) => firsts(id).join() !== inOrder.join() || !isSorted(taken.get(id))),
    ).toEqual([]);
    expect(errors).toEqual([]);
    expect(requests.length).toBeGreaterThan(taskCount * updates * 1.5);
    await sender.close();
    // Ends at the limit of the test if timers stay. A wait with a timer would count its own timer.
    while (countOf("Timeout") > timers) await new Promise((resolve) => setImmediate(resolve));
    await vi.waitFor(() => expect(countOf("TCPSocketWrap")).toBeLessThanOrEqual(sockets));
  });
});
