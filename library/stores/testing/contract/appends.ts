import { TaskState } from "../../../kit/model.js";
import { type Entry, LeaseLostError, type Stored } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  foundOf,
  messageEntry,
  type Opened,
  chunkEntry,
  statusEntry,
  statusOf,
  working,
  workingUntil,
} from "./bench.js";

async function readOf(
  { store, scope }: Bench,
  { id }: Pick<Opened, "id">,
): Promise<Stored | undefined> {
  return store.read(scope, id);
}

const nothing = { inbox: [], released: false };

export const appends: Cases = {
  "`append` returns an empty inbox if nothing was posted": async (bench) => {
    const { task, lease } = await bench.open();
    equal(
      foundOf(await bench.store.append(lease, workingUntil(task, 2, 4))),
      nothing,
      "the result of the append",
    );
    equal((await readOf(bench, task))?.generation, 4, "the generation of the task");
  },

  "`append` rejects entries with gaps or in the wrong order, and changes nothing": async (
    bench,
  ) => {
    const opened = await bench.open({}, { checkpoint: "before" });
    const { task, lease } = opened;
    const item = bench.item("hello");
    await bench.store.post(bench.scope, task.id, item, bench.claim);
    const before = await readOf(bench, task);
    const options = { taken: [item.id], turn: item, checkpoint: "after", release: true };
    const wrong = {
      "a gap before them": [3],
      "a gap between them": [2, 4],
      "the wrong order": [3, 2],
    };
    for (const [name, generations] of Object.entries(wrong)) {
      const entries = generations.map((generation) => working(task, generation));
      await rejects(
        bench.store.append(lease, entries, options),
        Error,
        `an append of entries with ${name}`,
      );
      equal(await readOf(bench, task), before, `the task after entries with ${name}`);
    }
    equal(
      (await bench.store.append(lease, [working(task, 2)])).inbox,
      [item],
      "the inbox in the result of the next append",
    );
  },

  "a repeated `append` changes nothing and returns the same result": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await bench.store.post(bench.scope, id, item, bench.claim);
    const entries = [
      messageEntry(1, one),
      chunkEntry(task, 2, { artifactId: "a", parts: [{ text: "one " }] }),
      chunkEntry(task, 3, { artifactId: "a", parts: [{ text: "two " }] }, true),
    ];
    const options = { taken: [one.id], turn: one, checkpoint: { step: 2 } };
    const found = await bench.store.append(lease, entries, options);
    equal(foundOf(found), { inbox: [two], released: false }, "the result of the append");
    const before = await readOf(bench, task);
    equal(
      await bench.store.append(lease, entries, options),
      found,
      "the result of the repeated append",
    );
    equal(await readOf(bench, task), before, "the task after the repeated append");
    await bench.store.append(lease, [...entries, working(task, 4)], options);
    const after = await readOf(bench, task);
    equal(
      [after?.generation, after?.task.artifacts],
      [4, before?.task.artifacts],
      "the generation and the artifacts after an append with one more entry",
    );
  },

  "an `append` that has released the lease can be repeated": async (bench) => {
    const { task, lease } = await bench.open();
    const entries = [statusEntry(task, 2, statusOf(TaskState.Completed, 2))];
    for (const attempt of ["first", "second"]) {
      const found = await bench.store.append(lease, entries, { release: true });
      equal(foundOf(found), { inbox: [], released: true }, `the result of the ${attempt} append`);
    }
    equal((await readOf(bench, task))?.generation, 2, "the generation of the task");
  },

  "a task keeps its turn and its checkpoint until an `append` replaces them": async (bench) => {
    const { task, lease } = await bench.open({}, { checkpoint: { step: 1 } });
    const turn = bench.item("next");
    const kept = async (): Promise<unknown> => {
      const stored = await readOf(bench, task);
      return [stored?.turn.id, stored?.checkpoint];
    };
    const first = (await readOf(bench, task))?.turn.id;
    await bench.store.append(lease, [working(task, 2)]);
    equal(
      await kept(),
      [first, { step: 1 }],
      "the turn and the checkpoint after an append without them",
    );
    await bench.store.append(lease, [], { turn });
    equal(
      await kept(),
      [turn.id, { step: 1 }],
      "the turn and the checkpoint after an append with a turn",
    );
    for (const checkpoint of [{ step: 2 }, 0, false, "", [null], null]) {
      await bench.store.append(lease, [], { checkpoint });
      equal(
        await kept(),
        [turn.id, checkpoint],
        "the turn and the checkpoint after an append with the checkpoint " +
          JSON.stringify(checkpoint),
      );
    }
  },

  "an ended task only keeps a checkpoint that was written together with its end": async (bench) => {
    const { store, scope } = bench;
    const kept = async (task: Pick<Opened, "id">): Promise<unknown> =>
      (await readOf(bench, task))?.checkpoint;
    const end = ({ task }: Opened): readonly Entry[] => [
      statusEntry(task, 2, statusOf(TaskState.Completed, 2)),
    ];
    const without = await bench.open({}, { checkpoint: { step: 1 } });
    await store.append(without.lease, end(without), { release: true });
    equal(await kept(without), undefined, "the checkpoint of a task that ended without one");
    const opened = await bench.open({}, { checkpoint: { step: 1 } });
    const [item, ending] = [bench.item("hello"), { checkpoint: { step: 2 }, release: true }];
    await store.post(scope, opened.id, item, bench.claim);
    for (const attempt of ["first", "second"]) {
      const found = await store.append(opened.lease, end(opened), ending);
      equal(
        foundOf(found),
        { inbox: [item], released: false },
        `the result of the ${attempt} append of the end`,
      );
      equal(
        await kept(opened),
        { step: 2 },
        `the checkpoint after the ${attempt} append of the end`,
      );
    }
    const late = { taken: [item.id], turn: item, checkpoint: { step: 3 }, release: true };
    const { bytes, released } = await store.append(opened.lease, [messageEntry(2, item)], late);
    equal(
      [released, await kept(opened)],
      [true, { step: 2 }],
      "the checkpoint after an append to the ended task",
    );
    equal(bytes, (await readOf(bench, opened))?.bytes, "the size of the ended task");
    const large = { text: "x".repeat(50_000) };
    const task = bench.task();
    const entries = [statusEntry(task, 2, statusOf(TaskState.Failed, 2))];
    await store.create(task, bench.options({ entries, checkpoint: large }));
    const created = await readOf(bench, task);
    equal(created?.checkpoint, large, "the checkpoint of a task that was created with its end");
    ok((created?.bytes ?? 0) > 50_000, "the size of an ended task must include its checkpoint");
  },

  "a released lease can be acquired again, and `append` rejects the earlier lease": async (
    bench,
  ) => {
    const { id, task, lease } = await bench.open();
    equal(
      foundOf(await bench.store.append(lease, [working(task, 2)], { release: true })),
      { inbox: [], released: true },
      "the result of an append that releases the lease",
    );
    const posted = await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
    if (posted?.outcome !== "leased") throw new Error("`post` must acquire the released lease");
    ok(posted.lease.epoch > lease.epoch, "the next lease must have a greater epoch");
    await rejects(
      bench.store.append(lease, [working(task, 3)]),
      LeaseLostError,
      "an append with the earlier lease",
    );
    await bench.store.append(posted.lease, [working(task, 3)]);
    equal(
      (await readOf(bench, task))?.generation,
      3,
      "the generation after an append of the new lease holder",
    );
  },

  "`append` does not release the lease while the inbox has items": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await bench.store.post(bench.scope, id, item, bench.claim);
    const refused = await bench.store.append(lease, [working(task, 2)], {
      taken: [one.id],
      release: true,
    });
    equal(
      foundOf(refused),
      { inbox: [two], released: false },
      "the result of a release that takes one of two items",
    );
    const done = await bench.store.append(lease, [working(task, 3)], {
      taken: [two.id],
      release: true,
    });
    equal(
      foundOf(done),
      { inbox: [], released: true },
      "the result of a release that takes the last item",
    );
  },

  "a `post` during the release of the lease loses no message": async (bench) => {
    for (let round = 0; round < 20; round += 1) {
      const { id, task, lease } = await bench.open();
      const [found, posted] = await Promise.all([
        bench.store.append(lease, [working(task, 2)], { release: true }),
        bench.store.post(bench.scope, id, bench.item("hello"), {
          ...bench.claim,
          holder: "process-2",
        }),
      ]);
      equal(posted?.outcome, found.released ? "leased" : "posted", "the outcome of the post");
      equal(
        found.inbox.length,
        found.released ? 0 : 1,
        "the number of items in the result of the append",
      );
    }
  },

  "`append` rejects an unknown task": async (bench) => {
    const { lease } = await bench.open();
    const task = bench.task();
    const append = bench.store.append({ ...lease, id: task.id }, [working(task, 2)]);
    await rejects(append, LeaseLostError, "an append to an unknown task");
  },

  "`append` rejects a lease with another epoch or holder": async (bench) => {
    const { task, lease } = await bench.open();
    for (const wrong of [
      { epoch: lease.epoch + 1 },
      { epoch: lease.epoch - 1 },
      { holder: "process-2" },
    ])
      await rejects(
        bench.store.append({ ...lease, ...wrong }, [working(task, 2)]),
        LeaseLostError,
        "an append with another epoch or holder",
      );
    equal((await readOf(bench, task))?.generation, 1, "the generation of the task");
  },
};
