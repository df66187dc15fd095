import type { StreamResponse, Task } from "../../../generated/1.0/models.js";
import { isInterrupted } from "../../../generated/1.0/kit/client/index.js";
import { eventDifferences } from "./compare-events.js";
import { counted, partDifferences, quoted } from "./compare-parts.js";
import type { Conversation } from "./conversation.js";
import { stateText } from "../state-text.js";
import { outcomesOf, type Outcome } from "./outcome.js";
import type { Part } from "./parts.js";

/** A difference between two conversations. */
export interface Difference {
  /** 1 for the first turn. */
  readonly turn: number;
  /** A sentence, such as `the state is failed instead of completed`. */
  readonly text: string;
}

/** Options for {@link compareConversations}. */
export interface CompareOptions {
  /**
   * Whether to compare the kinds and the order of events, too. By default, only what the caller
   * has at the end of each turn is compared: the state, the message, and the whole artifacts.
   */
  readonly events?: boolean | undefined;
}

/** Maximum number of differences of a turn that are listed. */
const listed = 50;

/** Returns the differences between a saved conversation and another one, in their order. */
export function compareConversations(
  saved: Conversation,
  actual: Conversation,
  { events = false }: CompareOptions = {},
): Difference[] {
  const [was, is] = [outcomesOf(saved), outcomesOf(actual)];
  const turns = Array.from({ length: Math.max(was.length, is.length) }, (_, index) => {
    const [before, now] = [was[index], is[index]];
    if (before === undefined) return ["the saved conversation does not have this turn"];
    if (now === undefined) return ["the turn is missing"];
    const outcome = outcomeDifferences(before, now);
    if (!events) return outcome;
    const lists = [saved, actual].map(({ turns }) => turns[index]?.events.map(labelOf) ?? []);
    return [...outcome, ...eventDifferences(lists[0] ?? [], lists[1] ?? [])];
  });
  return turns.flatMap((texts, index) => {
    const more = texts.length - listed;
    const shown = more > 0 ? [...texts.slice(0, listed), counted(more, "more difference")] : texts;
    return shown.map((text) => ({ turn: index + 1, text }));
  });
}

function outcomeDifferences(saved: Outcome, actual: Outcome): string[] {
  if (actual.error !== undefined && saved.error?.name !== actual.error.name) {
    const { name, message } = actual.error;
    const before = saved.error === undefined ? "" : ` instead of ${saved.error.name}`;
    return [`the call fails with ${name}${before}: ${quoted(message)}`];
  }
  if (saved.error !== undefined && actual.error === undefined)
    return [`the call does not fail with ${saved.error.name}`];
  const hasTask = actual.task !== undefined;
  if (hasTask !== (saved.task !== undefined) && saved.error === undefined) {
    const [is, was] = hasTask ? ["with", "without"] : ["without", "with"];
    return [`the agent replies ${is} a task instead of ${was} one`];
  }
  return [
    ...taskDifferences(saved, actual),
    ...saidDifferences(messageName(saved), saved.said, actual.said),
    ...listDifferences("reply", saved.replies, actual.replies),
    ...artifactDifferences(saved.changed, actual.changed),
  ];
}

function taskDifferences(saved: Outcome, actual: Outcome): string[] {
  const { state: was = "absent" } = saved;
  const { state: is = "absent" } = actual;
  // The replay begins new tasks instead of tasks that are older than the conversation.
  const isMoved = saved.task !== actual.task && !/^task-0\b/.test(saved.task ?? "");
  return [
    ...(isMoved ? [`the answer belongs to ${taskName(actual)} instead of ${taskName(saved)}`] : []),
    ...(was === is ? [] : [`the state is ${stateText(is)} instead of ${stateText(was)}`]),
  ];
}

/** Returns what a name such as `task-2` stands for. */
function taskName({ task = "" }: Outcome): string {
  const turn = task.slice("task-".length);
  return turn === "0" ? "an older task" : `the task that began in turn ${turn}`;
}

function messageName({ state = "" }: Outcome): string {
  if (isInterrupted(state)) return "question";
  return state === "TASK_STATE_FAILED" || state === "TASK_STATE_REJECTED" ? "reason" : "message";
}

function saidDifferences(name: string, saved: readonly Part[], actual: readonly Part[]): string[] {
  if (actual.length === 0 && saved.length > 0) return [`the ${name} ${shown(saved)} is missing`];
  if (saved.length === 0 && actual.length > 0) return [`there is a new ${name}: ${shown(actual)}`];
  return partDifferences(saved, actual).map((difference) => `the ${name}: ${difference}`);
}

function listDifferences(
  name: string,
  saved: readonly (readonly Part[])[],
  actual: readonly (readonly Part[])[],
): string[] {
  const length = Math.max(saved.length, actual.length);
  return Array.from({ length }, (_, index) =>
    saidDifferences(name, saved[index] ?? [], actual[index] ?? []),
  ).flat();
}

type Artifact = NonNullable<Task["artifacts"]>[number];

/** Compares artifacts that have the same name in their order, and then the others in theirs. */
function artifactDifferences(saved: readonly Artifact[], actual: readonly Artifact[]): string[] {
  const others = new Set(actual);
  const named = new Map<string, Artifact[]>();
  for (const artifact of actual) {
    if (artifact.name === undefined) continue;
    const same = named.get(artifact.name) ?? [];
    same.push(artifact);
    named.set(artifact.name, same);
  }
  const pairs = saved.map((artifact) => {
    const other = named.get(artifact.name ?? "")?.shift();
    if (other !== undefined) others.delete(other);
    return [artifact, other] as const;
  });
  const rest = [...others];
  const differences = pairs.flatMap(([artifact, match]) => {
    const other = match ?? rest.shift();
    const name = `artifact ${nameOf(artifact)}`;
    if (other === undefined) return [`the ${name} is missing`];
    const renamed = artifact.name === other.name ? [] : [`its name is ${nameOf(other)}`];
    const parts = partDifferences(artifact.parts, other.parts);
    return [...renamed, ...parts].map((difference) => `${name}: ${difference}`);
  });
  return [...differences, ...rest.map((artifact) => `there is a new artifact ${nameOf(artifact)}`)];
}

function nameOf({ name, artifactId }: Artifact): string {
  return name === undefined ? artifactId : quoted(name).slice(1, -1);
}

function shown(parts: readonly Part[]): string {
  return quoted(parts.map(({ text, filename }) => text ?? filename ?? "data").join(" "));
}

/** Returns the label of an event, by which lists of events are compared. */
function labelOf({ statusUpdate, artifactUpdate, message }: StreamResponse): string {
  if (artifactUpdate !== undefined) return `artifact ${nameOf(artifactUpdate.artifact)}`;
  if (statusUpdate === undefined) return `reply ${shown(message?.parts ?? [])}`;
  const { state, message: said } = statusUpdate.status;
  const text = said === undefined ? "" : ` ${shown(said.parts)}`;
  return `status update: ${stateText(state)}${text}`;
}
