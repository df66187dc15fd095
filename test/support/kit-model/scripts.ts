import { artifact } from "../../../library/kit/turns/artifact.js";
import type { Turn, TurnGenerator } from "../../../library/kit/turns/turn.js";
import * as updates from "../../../library/kit/turns/updates.js";
import type { Scheduler } from "./scheduler.js";
import { ticks } from "./scheduler.js";

const { authRequired, canceled, completed, failed, inputRequired, rejected, textOf, working } =
  updates;

/** Error of a turn that was told to throw. */
export class ScriptError extends Error {}

/** Steps of a turn, in order. The first script is the simplest. */
export const operations = [
  ...[
    "return completed",
    "working",
    "ticks",
    "gate",
    "piece",
    "return inputRequired",
    "emit",
    "take",
    "next",
    "auth",
  ],
  ...[
    "untilAborted",
    "checkpoint",
    "return authRequired",
    "return failed",
    "return rejected",
    "return canceled",
    "throw",
  ],
  ...["yield nonsense", "return nonsense", "never", "yield end", "late emit", "emit nonsense"],
] as const;

/** Reads a script out of random numbers. */
export function scriptOf(numbers: readonly number[]): string {
  return numbers.length === 0
    ? "return completed"
    : numbers.map((number) => operations[number % operations.length]).join(",");
}

/**
 * Runs turns that do what their message says. `active` has those at work, `read` gets the ids of
 * their messages.
 */
export function runner(scheduler: Scheduler, active: Set<Turn>, read: string[]) {
  return async function* run(turn: Turn): TurnGenerator {
    const { message } = turn;
    active.add(turn);
    read.push(message.messageId);
    try {
      const report = artifact(`report-${message.messageId}`);
      for (const [at, operation] of textOf(message).split(",").entries()) {
        const end = endOf(operation, `${message.messageId} ${at}`);
        if (end !== undefined) return end;
        if (operation === "working") yield working(`${message.messageId} ${at}`);
        else if (operation === "auth") yield authRequired("Sign in");
        else if (operation === "piece") yield report.text(`${at}`);
        else if (operation === "yield nonsense") yield { artifact: { artifactId: 1 } } as never;
        else if (operation === "yield end") yield completed() as never;
        else read.push(...(await step(operation, at, turn, scheduler)));
      }
      return completed();
    } finally {
      active.delete(turn);
    }
  };
}

/** Takes a step of a script; returns the ids of the messages that it has read. */
async function step(operation: string, at: number, turn: Turn, scheduler: Scheduler) {
  switch (operation) {
    case "take":
      return idsOf(turn.pending.take());
    case "next":
      return idsOf(await turn.pending.next());
    default:
      await act(operation, at, turn, scheduler);
      return [];
  }
}

function act(operation: string, at: number, turn: Turn, scheduler: Scheduler) {
  switch (operation) {
    case "ticks":
      return ticks(at * 3 + 1);
    case "gate":
      return scheduler.gate();
    case "emit":
      void turn.emit(working(`emitted ${at}`));
      return undefined;
    case "late emit":
      void scheduler.gate().then(() => turn.emit(working(`late ${at}`)));
      return undefined;
    case "emit nonsense":
      void turn.emit(7 as never);
      return undefined;
    case "untilAborted":
      return turn.untilAborted(scheduler.gate());
    case "checkpoint":
      return turn.checkpoint({ at });
    case "throw":
      throw new ScriptError(operation);
    case "never":
      return new Promise<void>(() => undefined);
    default:
      throw new Error(`Missing: ${operation}`);
  }
}

function idsOf(message: { readonly messageId: string } | undefined) {
  return message === undefined ? [] : [message.messageId];
}

function endOf(operation: string, said: string) {
  switch (operation) {
    case "return completed":
      return completed(said);
    case "return failed":
      return failed(said);
    case "return rejected":
      return rejected();
    case "return canceled":
      return canceled();
    case "return inputRequired":
      return inputRequired(said, { state: said });
    case "return authRequired":
      return authRequired(said);
    case "return nonsense":
      return { state: "TASK_STATE_WORKING", ends: true } as never;
    default:
      return undefined;
  }
}
