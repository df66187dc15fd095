import { describe, expect, it } from "vitest";
import {
  FairQueue,
  type JobEnd,
  type QueueJob,
} from "../../../../../library/kit/push/fair-queue.js";
import { PushJob } from "../../../../../library/kit/push/push-job.js";
import { siteOf } from "../../../../../library/kit/push/sites.js";
import { processorTime } from "../../../../support/processor-time.js";

interface Job extends QueueJob {
  readonly name: string;
}

function jobOf(name: string, owner: string, host: string, more: Partial<Job> = {}): Job {
  return { name, owner, host, site: siteOf(host), bytes: 1, isOver: () => false, ...more };
}

/** A queue whose jobs end on request, and the names of the jobs that have started. */
function queueOf(
  limits: {
    parallel?: number;
    parallelPerHost?: number;
    waiting?: number;
    waitingBytes?: number;
  } = {},
) {
  const started: string[] = [];
  const running = new Map<string, (end: JobEnd) => void>();
  let onRoom = (): void => undefined;
  const queue = new FairQueue<Job>(
    { parallel: 10, parallelPerHost: 2, waiting: 1_000, waitingBytes: 1_000, ...limits },
    ({ name }) => {
      started.push(name);
      return new Promise((resolve) => running.set(name, resolve));
    },
    () => {
      onRoom();
    },
  );
  const add = (count: number, owner: string, hostOf: (index: number) => string): boolean[] =>
    Array.from({ length: count }, (_, index) =>
      queue.add(jobOf(`${owner}${index}`, owner, hostOf(index))),
    );
  const end = async (name: string, how: JobEnd = "responded"): Promise<void> => {
    const room = new Promise<void>((resolve) => (onRoom = resolve));
    running.get(name)?.(how);
    running.delete(name);
    await room;
  };
  return { queue, started, running, add, end };
}

describe("a fair queue", () => {
  it("the queue gives an owner half of its slots, and the next owner half of the remaining slots", () => {
    const { add, started, queue } = queueOf({ parallel: 100, parallelPerHost: 6 });
    add(1_000, "a", (index) => `h.d${index}.example`);
    expect(started).toHaveLength(50);
    add(1_000, "b", (index) => `h.d${index}.example`);
    expect(started).toHaveLength(75);
    add(1, "c", () => "c.example");
    expect(started.at(-1)).toBe("c0");
    expect(queue.room).toBe(25);
  });

  it("the queue gives all hosts of a domain twice the slots of a host, and one owner half of these", () => {
    const { add, started } = queueOf({ parallel: 100, parallelPerHost: 6 });
    add(1_000, "a", (index) => `h${index}.one.example`);
    expect(started).toHaveLength(6);
    add(1, "b", () => "other.one.example");
    expect(started.at(-1)).toBe("b0");
    add(1, "a2", () => "two.example");
    expect(started.at(-1)).toBe("a20");
  });

  it("the queue starts the jobs of owners in turn, and the jobs of each host in order", async () => {
    const { add, started, running, end } = queueOf({ parallel: 1 });
    add(3, "a", () => "a.example");
    add(3, "b", () => "b.example");
    add(2, "c", () => "c.example");
    while (running.size > 0) for (const name of [...running.keys()]) await end(name);
    expect(started).toEqual(["a0", "a1", "b0", "c0", "a2", "b1", "c1", "b2"]);
  });

  it("a host that does not respond keeps one slot, and all such hosts together keep a quarter of the slots", async () => {
    const { add, started, running, end } = queueOf({ parallel: 8, parallelPerHost: 2 });
    const endAll = async (how: JobEnd): Promise<void> => {
      while (running.size > 0) for (const name of [...running.keys()]) await end(name, how);
    };
    add(8, "a", (index) => `h.d${index}.example`);
    await endAll("silent");
    add(16, "a", (index) => `h.d${index % 8}.example`);
    expect(running.size).toBe(2);
    expect(add(1, "b2", () => "b.example")).toEqual([true]);
    expect(started.at(-1)).toBe("b20");
    await endAll("responded");
    add(16, "c", (index) => `h.d${index % 8}.example`);
    expect(running.size).toBe(4);
  });

  it("a host is slowed down only for the owner that it did not respond to", async () => {
    const { add, started, end } = queueOf({ parallel: 100, parallelPerHost: 4 });
    add(1, "a", () => "shared.example");
    await end("a0", "silent");
    add(2, "b", () => "shared.example");
    expect(started).toEqual(["a0", "b0", "b1"]);
    await end("b0");
    await end("b1");
    add(2, "a", () => "shared.example");
    expect(started).toEqual(["a0", "b0", "b1", "a0"]);
  });

  it("an owner in several tenants counts once, because callers choose the tenant", () => {
    const ownerIn = (tenant: string): string => {
      const webhook = {
        taskId: "t",
        id: "w",
        config: { url: "https://a.example/" },
        version: "1.0",
        after: 1,
      };
      const lease = {
        webhook,
        scope: { tenant, owner: "ada" },
        holder: "h",
        epoch: 1,
        events: [],
        failures: 0,
      };
      return new PushJob(lease, 0).owner;
    };
    expect(ownerIn("a")).toBe(ownerIn("b"));
  });

  it("the queue drops jobs beyond the limits of number and bytes, but only the jobs of the owner that exceeds them", () => {
    const { add, queue } = queueOf({ waiting: 100 });
    const isKept = add(200, "a", () => "h.a.example");
    expect(isKept.filter(Boolean)).toHaveLength(52);
    expect(add(20, "b", () => "h.b.example")).not.toContain(false);
    const large = (owner: string): Job => jobOf("large", owner, "h.a.example", { bytes: 600 });
    expect(queue.add(large("c"))).toBe(true);
    const small = queueOf({ waitingBytes: 100 });
    small.add(2, "a", () => "h.a.example");
    expect(small.queue.add(large("a"))).toBe(false);
  });

  it("the queue does not run expired jobs, and they occupy no slot", async () => {
    const { queue, started, end } = queueOf({ parallel: 1 });
    let isOver = false;
    queue.add(jobOf("a", "a", "a.example"));
    for (const name of ["b", "c"])
      queue.add(jobOf(name, "a", "a.example", { isOver: () => isOver }));
    queue.add(jobOf("d", "d", "d.example"));
    isOver = true;
    await end("a");
    expect(started).toEqual(["a", "d"]);
    expect(queue.room).toBe(0);
    await end("d");
    await queue.idle();
    expect(queue.room).toBe(1);
  });

  it("the queue keeps its rules for random jobs that start and end in any order", async () => {
    const { queue, started, running, end } = queueOf({ parallel: 9, parallelPerHost: 2 });
    const jobs = Array.from({ length: 400 }, (_, index) => {
      const [owner, host] = [`o${(index * 7) % 5}`, `h${(index * 13) % 11}.d${index % 4}.example`];
      return jobOf(`j${index}`, owner, host);
    });
    for (const [index, job] of jobs.entries()) {
      queue.add(job);
      const hosts = jobs.filter(({ name }) => running.has(name)).map(({ host }) => host);
      expect(hosts.filter((host) => host === job.host).length).toBeLessThanOrEqual(2);
      expect(hosts.length).toBeLessThanOrEqual(9);
      const first = running.keys().next().value;
      if (index % 2 === 0 && first !== undefined)
        await end(first, index % 3 === 0 ? "silent" : "responded");
    }
    while (running.size > 0) for (const name of [...running.keys()]) await end(name);
    expect(new Set(started).size).toBe(400);
    expect(started).toHaveLength(400);
  });
});

describe("the site of a host", () => {
  it.each([
    ["example.com", "a.b.example.com", "example.com."],
    ["example.co.uk", "a.example.co.uk", "b.c.example.co.uk"],
    ["t.co", "a.t.co", "b.t.co"],
    ["ab.io", "x.ab.io"],
    ["1.2.3", "1.2.3.4", "1.2.3.255", "[::ffff:1.2.3.9]", "[64:ff9b::1.2.3.7]"],
    ["42.0.20.80.0.1", "[2a00:1450:1::1]", "[2a00:1450:1:ff::9]"],
  ])("the site is %s for this host and the other hosts of the same owner", (site, ...hosts) => {
    expect(hosts.map(siteOf)).toEqual(hosts.map(() => site));
  });

  it("the time to find a site is proportional to the length of a name with many dots", () => {
    const before = processorTime();
    expect(siteOf(`${".".repeat(200_000)}x`)).toBe(".x");
    expect(processorTime() - before).toBeLessThan(500);
  });

  it("names below the second level of a country have different sites", () => {
    expect(new Set(["a.co.uk", "b.co.uk", "c.com.br", "d.com.br"].map(siteOf)).size).toBe(4);
  });
});
