import { TaskState } from "../../model.js";
import { LeaseLostError, type Stored } from "../../store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  foundOf,
  messageEntry,
  type Opened,
  pieceEntry,
  statusEntry,
  statusOf,
  working,
  workingUntil,
} from "./bench.js";

async function readOf({ store, scope }: Bench, { id }: Pick<Opened, "id">): Promise<Stored | undefined> {
  return store.read(scope, id);
}

const nothing = { inbox: [], released: false };

export const appends: Cases = {
  "an append finds an empty inbox if nothing was posted": async (bench) => {
    const { task, lease } = await bench.open();
    equal(foundOf(await bench.store.append(lease, workingUntil(task, 2, 4))), nothing, "what the append finds");
    equal((await readOf(bench, task))?.generation, 4, "the generation");
  },

  "entries that do not follow the log are refused together with the other changes of the append": async (bench) => {
    const opened = await bench.open({}, { checkpoint: "before" });
    const { task, lease } = opened;
    const item = bench.item("hello");
    await bench.store.post(bench.scope, task.id, item, bench.claim);
    const before = await readOf(bench, task);
    const options = { taken: [item.id], turn: item, checkpoint: "after", release: true };
    const wrong = { gap: [3], "gap in between": [2, 4], disorder: [3, 2] };
    for (const [name, generations] of Object.entries(wrong)) {
      const entries = generations.map((generation) => working(task, generation));
      await rejects(bench.store.append(lease, entries, options), Error, `entries with a ${name}`);
      equal(await readOf(bench, task), before, `the task after entries with a ${name}`);
    }
    equal((await bench.store.append(lease, [working(task, 2)])).inbox, [item], "what an append finds after that");
  },

  "a repeated append changes nothing and returns the same result": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await bench.store.post(bench.scope, id, item, bench.claim);
    const entries = [
      messageEntry(1, one),
      pieceEntry(task, 2, { artifactId: "a", parts: [{ text: "one " }] }),
      pieceEntry(task, 3, { artifactId: "a", parts: [{ text: "two " }] }, true),
    ];
    const options = { taken: [one.id], turn: one, checkpoint: { step: 2 } };
    const found = await bench.store.append(lease, entries, options);
    equal(foundOf(found), { inbox: [two], released: false }, "what the append finds");
    const before = await readOf(bench, task);
    equal(await bench.store.append(lease, entries, options), found, "what the repeated append finds");
    equal(await readOf(bench, task), before, "the task after it");
    await bench.store.append(lease, [...entries, working(task, 4)], options);
    const after = await readOf(bench, task);
    equal([after?.generation, after?.task.artifacts], [4, before?.task.artifacts], "the task with an entry more");
  },

  "an append that released the lease can be repeated": async (bench) => {
    const { task, lease } = await bench.open();
    const entries = [statusEntry(task, 2, statusOf(TaskState.Completed, 2))];
    for (const attempt of ["first", "second"]) {
      const found = await bench.store.append(lease, entries, { release: true });
      equal(foundOf(found), { inbox: [], released: true }, `what the ${attempt} append finds`);
    }
    equal((await readOf(bench, task))?.generation, 2, "the generation");
  },

  "a turn and a checkpoint are kept until they are replaced": async (bench) => {
    const { task, lease } = await bench.open({}, { checkpoint: { step: 1 } });
    const turn = bench.item("next");
    const kept = async (): Promise<unknown> => {
      const stored = await readOf(bench, task);
      return [stored?.turn.id, stored?.checkpoint];
    };
    const first = (await readOf(bench, task))?.turn.id;
    await bench.store.append(lease, [working(task, 2)]);
    equal(await kept(), [first, { step: 1 }], "after an append without them");
    await bench.store.append(lease, [], { turn });
    equal(await kept(), [turn.id, { step: 1 }], "after one with a turn");
    for (const checkpoint of [{ step: 2 }, 0, false, "", [null], null]) {
      await bench.store.append(lease, [], { checkpoint });
      equal(await kept(), [turn.id, checkpoint], `after one with the checkpoint ${JSON.stringify(checkpoint)}`);
    }
  },

  "a released lease is free, and an append with it is refused": async (bench) => {
    const { id, task, lease } = await bench.open();
    equal(
      foundOf(await bench.store.append(lease, [working(task, 2)], { release: true })),
      { inbox: [], released: true },
      "release",
    );
    const posted = await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
    if (posted?.outcome !== "leased") throw new Error("expected the post to lease the task");
    ok(posted.lease.epoch > lease.epoch, "the epoch of the next lease is a greater one");
    await rejects(bench.store.append(lease, [working(task, 3)]), LeaseLostError, "an append with the earlier lease");
    await bench.store.append(posted.lease, [working(task, 3)]);
    equal((await readOf(bench, task))?.generation, 3, "the generation after the append of the new holder");
  },

  "a lease is not released while the inbox has items": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await bench.store.post(bench.scope, id, item, bench.claim);
    const refused = await bench.store.append(lease, [working(task, 2)], { taken: [one.id], release: true });
    equal(foundOf(refused), { inbox: [two], released: false }, "a release with one of two items taken");
    const done = await bench.store.append(lease, [working(task, 3)], { taken: [two.id], release: true });
    equal(foundOf(done), { inbox: [], released: true }, "a release with the other one taken");
  },

  "a concurrent post and release lose no message": async (bench) => {
    for (let round = 0; round < 20; round += 1) {
      const { id, task, lease } = await bench.open();
      const [found, posted] = await Promise.all([
        bench.store.append(lease, [working(task, 2)], { release: true }),
        bench.store.post(bench.scope, id, bench.item("hello"), { ...bench.claim, holder: "process-2" }),
      ]);
      equal(posted?.outcome, found.released ? "leased" : "posted", "the outcome of the post");
      equal(found.inbox.length, found.released ? 0 : 1, "how many items the holder finds that keeps its lease");
    }
  },

  "an append to an unknown task is refused": async (bench) => {
    const { lease } = await bench.open();
    const task = bench.task();
    const append = bench.store.append({ ...lease, id: task.id }, [working(task, 2)]);
    await rejects(append, LeaseLostError, "an append to a task that was not created");
  },

  "an append with the lease of another process is refused": async (bench) => {
    const { task, lease } = await bench.open();
    for (const wrong of [{ epoch: lease.epoch + 1 }, { epoch: lease.epoch - 1 }, { holder: "process-2" }])
      await rejects(bench.store.append({ ...lease, ...wrong }, [working(task, 2)]), LeaseLostError, "such an append");
    equal((await readOf(bench, task))?.generation, 1, "the generation");
  },
};
