import * as kit from "../../../../generated/1.0/kit/index.js";
import { environment, note } from "./notes.js";

export * from "../../../../generated/1.0/kit/index.js";

/** The end of a turn after which its task sleeps for a shorter time than the page says. */
export const asleep: typeof kit.asleep = (given) => {
  const { until, ...options } = given ?? {};
  if (until === undefined) return kit.asleep(options);
  const ms = (until.getTime() - Date.now()) / Number(environment().FASTER);
  return kit.asleep({ ...options, until: new Date(Date.now() + ms) });
};

/**
 * A service that notes `turn` and `end` at the beginning and before the end of each turn, and
 * `woken` after each request to wake a task. Its leases are short, because the next process waits
 * until the lease of a killed one expires.
 */
export function taskService<State>(
  options: kit.Behavior<unknown, State> & { readonly store: kit.TaskStore },
): kit.TaskService {
  const service = kit.taskService<unknown, State>({
    store: options.store,
    leaseMs: 4_000,
    async *run(turn) {
      await note("turn");
      const end = yield* options.run(turn);
      await note("end");
      return end;
    },
  });
  const { wake } = service;
  const noted: typeof wake = async (target, payload, options) => {
    // Without its id, a request that is repeated wakes the task again, as after ten minutes.
    const isRemembered = environment().FORGETS === "";
    const isOpen = await wake(target, payload, isRemembered ? options : {});
    await note("woken");
    return isOpen;
  };
  return Object.assign(service, { wake: noted });
}
