import fc from "../properties.js";
import { scriptOf } from "./scripts.js";
import { ticks } from "./scheduler.js";
import type { Setting, World } from "./world.js";

/** One thing that happens in a run, as numbers that say what. */
export interface Step {
  readonly action: number;
  readonly which: number;
  readonly how: number;
  readonly script: readonly number[];
  readonly pause: number;
}

/** Steps of a run. */
export interface Plan {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

const small = fc.nat({ max: 60 });

/** Random plans, which shrink to few steps. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  setting: fc.record({
    services: fc.integer({ min: 1, max: 2 }),
    late: fc.constantFrom<Setting["late"][]>("no", "ticks", "gates"),
    crashes: fc.boolean(),
    maxLog: fc.constantFrom(10_000, 2),
    seed: fc.nat(),
  }),
  steps: fc.array(
    fc.record({
      action: small,
      which: small,
      how: small,
      script: fc.array(small, { maxLength: 6 }),
      pause: small,
    }),
    { minLength: 1, maxLength: 25 },
  ),
});

const users = ["ada", "ada", "ada", "bob"];

/** Takes a step. */
export async function take(step: Step, world: World): Promise<void> {
  act(step, world);
  if (step.pause % 3 === 0) await world.scheduler.settle();
  else await ticks(step.pause);
}

function act({ action, which, how, script }: Step, world: World) {
  const { scheduler, agents, calls } = world;
  const agent = agents[which % agents.length];
  const user = users[how % users.length] ?? "";
  const id = pick([...world.recording.logs.keys()], which) ?? "none";
  const text = scriptOf(script);
  if (agent === undefined) return;
  switch (action % 13) {
    case 0:
    case 1:
      return world.send(
        agent,
        user,
        how % 3,
        text,
        action > 40 ? { contextId: `context-${which % 3}` } : {},
      );
    case 2:
    case 3:
    case 4:
      return world.send(agent, user, how % 3, text, {
        taskId: id,
        ...contextOf(id, action, world),
      });
    case 5:
      return world.cancel(agent, user, id);
    case 6:
      return world.subscribe(agent, user, id);
    case 7:
      return pick(
        calls.filter(({ leave, isOver }) => leave !== undefined && !isOver),
        which,
      )?.leave?.();
    case 8:
      return scheduler.advance(which * 100);
    case 9:
      return scheduler.openAll();
    case 10:
      return world.look(agent, user, id, how, which);
    case 11:
      return world.crash();
    default:
      return scheduler.open(which);
  }
}

function contextOf(id: string, action: number, { recording }: World): { contextId?: string } {
  if (action < 30) return {};
  return { contextId: action > 55 ? "another" : (recording.logs.get(id)?.task.contextId ?? "") };
}

function pick<T>(values: readonly T[], which: number) {
  return values[which % values.length];
}
