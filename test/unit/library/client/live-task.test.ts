import { expect, it } from "vitest";
import type { StreamResponse, Task } from "../../../../generated/1.0/models.js";
import { LiveTask } from "../../../../library/client/live-task.js";
import { applyEvent } from "../../../../library/kit/log/fold.js";
import fc, { arbitrary } from "../../../support/properties.js";
import type { Random } from "../../../support/random/random.js";
import { sized } from "../../../support/size.js";
import { piece, status, submitted } from "./follow-agent.js";

/** Returns a random event. With many ids, most artifacts are new. */
function anEvent(random: Random, ids: number, index: number): StreamResponse {
  if (random.oneIn(5)) {
    const event = status("TASK_STATE_WORKING", random.oneIn(2) ? String(index) : undefined);
    if (event.statusUpdate !== undefined && random.oneIn(3))
      event.statusUpdate.metadata = { [`k${String(random.below(3))}`]: index };
    return event;
  }
  return piece(String(index), !random.oneIn(4), `a${String(random.below(ids))}`);
}

it("for any events, and whenever the states are read, a task is as if its events were applied one by one", () => {
  const cases = arbitrary((random: Random) => {
    const ids = random.pick([1, 3, 100]);
    // After a thousand events, earlier events are not kept.
    const length = random.oneIn(4) ? 2_500 : random.below(60);
    const artifacts = Array.from({ length: random.below(50) }, () => ({
      artifactId: `a${String(random.below(ids))}`,
      parts: [{ text: "first" }],
    }));
    const events = Array.from({ length }, (_, index) => anEvent(random, ids, index));
    return { begin: { ...submitted, artifacts }, events, random };
  });
  fc.assert(
    fc.property(cases, ({ begin, events, random }) => {
      const live = new LiveTask(begin);
      const before = JSON.stringify([begin, events]);
      const seldom = random.pick([1, 3, 400]);
      let expected: Task = begin;
      const pairs = events.map((event, index) => {
        expected = applyEvent(expected, event);
        const read = live.apply(event);
        expect(live.now.status).toEqual(expected.status);
        const id = `a${String(index % 5)}`;
        if (index % 50 === 0)
          expect(live.find(id)).toEqual(expected.artifacts?.find((each) => each.artifactId === id));
        if (random.oneIn(seldom)) expect(read()).toEqual(expected);
        return { read, expected };
      });
      expect(live.task).toEqual(expected);
      // States that were not read at their time are read later, in any order.
      const chosen = pairs.filter(() => random.oneIn(Math.ceil(pairs.length / 20)));
      for (const { read, expected: state } of random.oneIn(2) ? chosen : chosen.reverse())
        expect(read()).toEqual(state);
      expect(JSON.stringify([begin, events])).toBe(before);
    }),
    { numRuns: sized(60, 300) },
  );
});

it("a task whose states are not read is not copied for each event", () => {
  const live = new LiveTask({ ...submitted, artifacts: [{ artifactId: "a0", parts: [] }] });
  live.apply(piece("x", false, "a1"));
  const { artifacts } = live.now;
  const copies = new Set();
  for (let index = 2; index < 10_000; index += 1) {
    live.apply(piece("x", index % 2 === 0, `a${String(index)}`));
    copies.add(live.now.artifacts);
  }
  expect(copies.has(artifacts)).toBe(true);
  // The number of copies is the logarithm of the number of events.
  expect(copies.size).toBeLessThan(10);
  expect(live.task.artifacts).toHaveLength(10_000);
});

it("a state that is read keeps its content and its identity", () => {
  const live = new LiveTask(submitted);
  const first = live.apply(piece("x"));
  const second = live.apply(piece("y"));
  expect(second()).toBe(live.task);
  live.apply(piece("z"));
  expect(second().artifacts?.[0]?.parts).toEqual([{ text: "x" }, { text: "y" }]);
  expect(first().artifacts?.[0]?.parts).toEqual([{ text: "x" }]);
});
