import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createAgent } from "../../../../generated/1.0/index.js";
import { taskService, type Behavior } from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { engineOf } from "../../../cluster/engines/engines.js";
import { aCard } from "../../../support/cards.js";

/**
 * Notes that something happens, such as the beginning of a step or the call of a model. Await the
 * result: the process stands still at the note at which it is killed.
 */
export type Note = (what: string) => Promise<void>;

/** Environment of a process that is killed. */
export interface KilledEnvironment {
  readonly PORT: string;
  /** Name and address of the engine with the tasks. */
  readonly ENGINE: string;
  readonly ADDRESS: string;
  /** File with the notes. */
  readonly NOTES: string;
  /** Note at which the process stands still, and how often it was noted by then: `word 3`. */
  readonly HOLD: string;
}

/**
 * Serves an agent in a process that is killed. Also notes `turn` before a turn begins, and
 * `end` before its end is stored. `behaviorOf` gets the path of a file for a database of its own.
 */
export function serveKilled<State>(
  behaviorOf: (note: Note, database: string) => Behavior<unknown, State>,
): void {
  const env = process.env as unknown as KilledEnvironment;
  const counts = new Map<string, number>();
  const note = (what: string): Promise<void> => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    appendFileSync(env.NOTES, `${what}\n`);
    if (`${what} ${String(count)}` !== env.HOLD) return Promise.resolve();
    appendFileSync(env.NOTES, "held\n");
    return new Promise(() => undefined);
  };
  const behavior = behaviorOf(note, `${env.NOTES}.db`);
  const { store } = engineOf(env.ENGINE).open(env.ADDRESS);
  const service = taskService<unknown, State>({
    store,
    // The next process waits until the lease of the killed one expires. A process that stands still
    // for longer than its lease starts its turn again, which a busy machine must not cause.
    ...(env.HOLD === "" ? {} : { leaseMs: 4_000 }),
    async *run(turn) {
      await note("turn");
      const end = yield* behavior.run(turn);
      await note("end");
      return end;
    },
  });
  const card = aCard(`http://127.0.0.1:${env.PORT}`, {
    defaultInputModes: ["text/plain", "application/json"],
  });
  const server = createServer(nodeListener(createAgent({ card, service })));
  server.listen(Number(env.PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
}
