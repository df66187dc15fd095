import { type Claim, type Lease, type Leased, LeaseLostError } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  nothingClaimed,
  type Opened,
  shortMs,
  unsized,
  working,
} from "./bench.js";
import { leasedOf } from "./inbox.js";

/** Returns the claim of another process. */
function claimOf({ claim }: Bench, holder = "process-2"): Claim {
  return { ...claim, holder };
}

/** Waits until the leases of some tasks have expired, and claims them. */
async function claimAfterExpiry(bench: Bench, count: number): Promise<readonly Leased[]> {
  const found: Leased[] = [];
  await bench.pass(shortMs + 1);
  return bench.eventually(`claims of ${String(count)} expired leases`, async () => {
    const { rows } = await bench.store.claimExpired(claimOf(bench), 10);
    for (const row of rows) found.push(row);
    return found.length >= count ? found : undefined;
  });
}

/** Opens a task whose lease expires soon, and renews the lease in time. */
async function openRenewed(bench: Bench): Promise<Opened> {
  return bench.eventually("a lease that is renewed before it expires", async () => {
    const opened = await bench.open({}, { claim: bench.shortClaim });
    const { held } = await bench.store.renew([opened.lease], bench.claim);
    return held.length === 1 ? opened : undefined;
  });
}

export const leases: Cases = {
  "`claimExpired` returns an expired lease with the complete task": async (bench) => {
    const { store, scope } = bench;
    const turn = bench.item("begin");
    const options = { claim: bench.shortClaim, turn, checkpoint: { step: 1 } };
    const { id, task, lease } = await bench.open({}, options);
    const claimed = await claimAfterExpiry(bench, 1);
    const found = claimed.at(0);
    equal(claimed.length, 1, "the number of claimed tasks");
    equal(
      [found?.lease.id, found?.lease.holder],
      [id, "process-2"],
      "the id and the holder of the new lease",
    );
    ok((found?.lease.epoch ?? 0) > lease.epoch, "the next lease must have a greater epoch");
    equal(
      unsized(found?.stored),
      { task, generation: 1, inbox: [], turn, checkpoint: { step: 1 } },
      "the claimed task",
    );
    await rejects(
      store.append(lease, [working(task, 2)]),
      LeaseLostError,
      "an append of the earlier lease holder",
    );
    equal(
      (await store.renew([lease], bench.claim)).held,
      [],
      "the leases that the earlier lease holder can renew",
    );
    if (found !== undefined) await store.append(found.lease, [working(task, 2)]);
    equal(
      (await store.read(scope, id))?.generation,
      2,
      "the generation after an append of the new lease holder",
    );
  },

  "`claimExpired` returns the item that began the turn with the facts about its call": async (
    bench,
  ) => {
    const trace = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "a=1" };
    const call = {
      user: { id: "ada" },
      extensions: [],
      acceptedOutputModes: [],
      metadata: {},
      version: "1.0",
      trace,
    };
    const turn = { ...bench.item("begin"), call };
    await bench.open({}, { claim: bench.shortClaim, turn });
    equal((await claimAfterExpiry(bench, 1)).at(0)?.stored.turn, turn, "the item");
  },

  "`append` rejects an expired lease, even before it is claimed": async (bench) => {
    const { id, task, lease } = await bench.open({}, { claim: bench.shortClaim });
    await bench.pass(shortMs + 1);
    await rejects(
      bench.store.append(lease, [working(task, 2)]),
      LeaseLostError,
      "an append with an expired lease",
    );
    const { held } = await bench.store.renew([lease], bench.claim);
    equal(held, [], "the leases that can be renewed");
    equal((await bench.store.read(bench.scope, id))?.generation, 1, "the generation of the task");
  },

  "`post` acquires an expired lease": async (bench) => {
    const { id, task, lease } = await bench.open({}, { claim: bench.shortClaim });
    await bench.pass(shortMs + 1);
    const item = bench.item("hello");
    const leased = leasedOf(await bench.store.post(bench.scope, id, item, claimOf(bench)));
    equal(leased.stored.inbox, [item], "the inbox");
    await rejects(
      bench.store.append(lease, [working(task, 2)]),
      LeaseLostError,
      "an append of the earlier lease holder",
    );
    equal(
      await bench.store.claimExpired(claimOf(bench, "process-3"), 10),
      nothingClaimed,
      "the result of another process's claim",
    );
  },

  "an outcome of `post` says whether the call has added the item that acquires the lease": async (
    bench,
  ) => {
    const { id, lease } = await bench.open();
    const item = bench.item("hello");
    const claim = claimOf(bench, "process-2");
    const isNewOf = async (task: string) => {
      const posted = await bench.store.post(bench.scope, task, item, claim);
      return posted?.outcome === "leased" ? posted.isNew : posted?.outcome;
    };
    equal(await isNewOf(id), "posted", "the outcome while another process holds the lease");
    await bench.store.renew([lease], { ...bench.claim, ttlMs: 0 });
    equal(await isNewOf(id), false, "`isNew` of the repeated post");
    const { id: other } = await bench.rest();
    equal(await isNewOf(other), true, "`isNew` of a new item");
  },

  "a renewed lease does not expire at its earlier time": async (bench) => {
    const { id, task, lease } = await openRenewed(bench);
    await bench.pass(shortMs + 1);
    const { rows: claimed } = await bench.store.claimExpired(claimOf(bench), 10);
    equal(
      claimed.filter((leased) => leased.lease.id === id),
      [],
      "the leases of the task that another process can claim",
    );
    await bench.store.append(lease, [working(task, 2)]);
  },

  "`append` extends the lease and never shortens it": async (bench) => {
    const { store, claim } = bench;
    const { id, task, lease } = await bench.eventually(
      "an append before the lease expires",
      async () => {
        const opened = await bench.open({}, { claim: bench.shortClaim });
        const append = store.append(opened.lease, [working(opened.task, 2)], {
          ttlMs: claim.ttlMs,
        });
        return append.then(
          () => opened,
          () => undefined,
        );
      },
    );
    await store.append(lease, [working(task, 3)], { ttlMs: 1 });
    await store.append(lease, [working(task, 4)]);
    await bench.pass(shortMs + 1);
    const { rows: claimed } = await store.claimExpired(claimOf(bench), 10);
    ok(
      !claimed.some((leased) => leased.lease.id === id),
      "another process must not claim the task",
    );
    await store.append(lease, [working(task, 5)], { release: true, ttlMs: claim.ttlMs });
    equal(
      (await store.post(bench.scope, id, bench.item("hello"), claimOf(bench)))?.outcome,
      "leased",
      "the outcome of a post after the release",
    );
  },

  "`renew` returns the leases that are not lost": async (bench) => {
    const held = [await bench.open(), await bench.open()].map(({ lease }) => lease);
    const released = await bench.open();
    await bench.store.append(released.lease, [], { release: true });
    const lost: Lease[] = [
      released.lease,
      { ...(held[0] ?? released.lease), epoch: 1_000 },
      { ...released.lease, id: "nobody" },
    ];
    const found = (await bench.store.renew([...lost, ...held], bench.claim)).held;
    equal(found.map(({ id }) => id).sort(), held.map(({ id }) => id).sort(), "the renewed leases");
  },

  "a lease that is renewed for 0 ms can be claimed immediately": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.renew([lease], { ...bench.claim, ttlMs: 0 });
    const { rows: found } = await bench.store.claimExpired(claimOf(bench), 10);
    equal(
      found.map((leased) => leased.lease.id),
      [id],
      "the claimed tasks",
    );
    await rejects(
      bench.store.append(lease, [working(task, 2)]),
      LeaseLostError,
      "an append of the earlier lease holder",
    );
  },

  "`claimExpired` does not return released or unexpired leases": async (bench) => {
    const released = await bench.open({}, { claim: bench.shortClaim });
    await bench.store.append(released.lease, [], { release: true }).catch(() => undefined);
    await bench.open();
    await bench.rest();
    const { id } = await bench.open({}, { claim: bench.shortClaim });
    const found = await claimAfterExpiry(bench, 1);
    equal(
      found.map(({ lease }) => lease.id).filter((id) => id !== released.id),
      [id],
      "the claimed tasks",
    );
  },

  "concurrent calls of `claimExpired` return different tasks, and at most `limit` tasks each":
    async (bench) => {
      const opened: string[] = [];
      while (opened.length < 12)
        opened.push((await bench.open({}, { claim: bench.shortClaim })).id);
      await bench.pass(shortMs + 1);
      const holders = ["process-2", "process-3", "process-4"];
      const claims = await Promise.all(
        holders.map((holder) => bench.store.claimExpired(claimOf(bench, holder), 3)),
      );
      const claimed = claims.map(({ rows }) => rows);
      for (const leased of claimed)
        ok(leased.length <= 3, "`claimExpired` must return at most `limit` tasks");
      const first = claimed.flat().map(({ lease }) => lease.id);
      const others = (await claimAfterExpiry(bench, opened.length - first.length)).map(
        ({ lease }) => lease.id,
      );
      equal([...first, ...others].sort(), opened.sort(), "the claimed tasks");
      equal(
        await bench.store.claimExpired(claimOf(bench), 10),
        nothingClaimed,
        "the result of a claim after all tasks were claimed",
      );
    },

  "routine searches of several processes find each expired lease once, also after searches without a result":
    async (bench) => {
      const everyMs = 20;
      const search = async (holder: string): Promise<readonly Leased[]> => {
        const { rows, againInMs = everyMs } = await bench.store.claimExpired(
          claimOf(bench, holder),
          2,
          everyMs,
        );
        ok(againInMs >= everyMs / 2, "a process must not search more often than its interval");
        return rows;
      };
      const holders = ["process-2", "process-3"];
      for (const holder of holders) equal(await search(holder), [], "the tasks before the expiry");
      const opened: string[] = [];
      while (opened.length < 5) opened.push((await bench.open({}, { claim: bench.shortClaim })).id);
      const found: string[] = [];
      await bench.eventually("claims of all tasks", async () => {
        for (const rows of await Promise.all(holders.map(search)))
          for (const { lease } of rows) found.push(lease.id);
        return found.length >= opened.length ? true : undefined;
      });
      equal(found.sort(), opened.sort(), "the claimed tasks");
    },

  "`claimExpired` returns the items that were posted to the task": async (bench) => {
    const item = bench.item("hello");
    const { id, history } = await bench.eventually("a post before the lease expires", async () => {
      const { task } = await bench.open({}, { claim: bench.shortClaim });
      const posted = await bench.store.post(bench.scope, task.id, item, claimOf(bench));
      return posted?.outcome === "posted" ? task : undefined;
    });
    const stored = (await claimAfterExpiry(bench, 1)).find(({ lease }) => lease.id === id)?.stored;
    equal(stored?.inbox, [item], "the inbox");
    equal(stored?.task.history, [...(history ?? []), item.message], "the history");
  },
};
