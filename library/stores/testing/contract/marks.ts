import { equal } from "./assert.js";
import type { Cases } from "./bench.js";

/** Cases for stores with the optional method `mark`. */
export const marks: Cases = {
  "`mark` returns the first value of a mark": async ({ store }) => {
    if (store.mark === undefined) return;
    equal(await store.mark("one", "first"), "first", "the value of a new mark");
    equal(await store.mark("one", "second"), "first", "the value of an existing mark");
    equal(await store.mark("two", "third"), "third", "the value of another mark");
    equal(
      await store.mark("", `'"; -- 漢字`),
      `'"; -- 漢字`,
      "the value of a mark with an odd name",
    );
  },

  "`mark` without a value returns the value of a mark, and sets no mark": async ({ store }) => {
    if (store.mark === undefined) return;
    equal(await store.mark("one"), undefined, "the value of a mark that does not exist");
    equal(await store.mark("one", "first"), "first", "the value of a new mark");
    equal(await store.mark("one"), "first", "the value of an existing mark");
    equal(await store.mark("two"), undefined, "the value of another mark");
  },

  "`isEmpty` returns `false` if a task exists": async (bench) => {
    if (bench.store.isEmpty === undefined) return;
    await bench.open();
    equal(await bench.store.isEmpty(), false, "whether the database is empty");
  },

  "one of several concurrent calls of `mark` sets the value": async ({ store }) => {
    if (store.mark === undefined) return;
    const values = Array.from({ length: 5 }, (_, at) => `value ${String(at)}`);
    const found = await Promise.all(values.map(async (value) => store.mark?.("one", value)));
    equal(new Set(found).size, 1, "the number of different values");
    equal(values.includes(found[0] ?? ""), true, "whether a call has set the value");
  },
};
