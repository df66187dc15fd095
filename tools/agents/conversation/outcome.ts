import type { Task } from "../../../generated/1.0/models.js";
import type { Conversation, ConversationFailure } from "./conversation.js";
import { append, type Part } from "./parts.js";

type Artifact = NonNullable<Task["artifacts"]>[number];

/** Results of a turn, as its caller has them at its end. */
export interface Outcome {
  /** Name of the task; absent if the agent has replied without a task. */
  readonly task: string | undefined;
  readonly state: string | undefined;
  /** Message of the last status. */
  readonly said: readonly Part[];
  /** Messages without a task. */
  readonly replies: readonly (readonly Part[])[];
  /** The whole artifacts that changed during the turn. */
  readonly changed: readonly Artifact[];
  /** All artifacts of the task. */
  readonly artifacts: readonly Artifact[];
  readonly error: ConversationFailure | undefined;
}

interface FoldedTask {
  state: string | undefined;
  said: readonly Part[];
  readonly artifacts: Map<string, Artifact>;
}

/** Returns the outcomes of the turns of a conversation. */
export function outcomesOf({ turns }: Pick<Conversation, "turns">): Outcome[] {
  const tasks = new Map<string, FoldedTask>();
  const taskAt = (name: string): FoldedTask => {
    const task = tasks.get(name) ?? { state: undefined, said: [], artifacts: new Map() };
    tasks.set(name, task);
    return task;
  };
  return turns.map(({ message, events, error }) => {
    let name: string | undefined;
    const replies: Part[][] = [];
    const changed = new Map<string, Artifact>();
    for (const { statusUpdate, artifactUpdate, message: reply } of events) {
      if (reply !== undefined) replies.push(reply.parts);
      const taskId = (statusUpdate ?? artifactUpdate)?.taskId;
      if (taskId === undefined) continue;
      name ??= taskId;
      const task = taskAt(taskId);
      if (statusUpdate !== undefined) {
        task.state = statusUpdate.status.state;
        task.said = statusUpdate.status.message?.parts ?? [];
      } else if (artifactUpdate !== undefined) {
        const { artifact, append: isAppended } = artifactUpdate;
        const id = artifact.artifactId;
        const known = isAppended === true ? task.artifacts.get(id) : undefined;
        // The outcomes of earlier turns keep their artifacts, so each turn copies once.
        if (known !== undefined && known === changed.get(id)) append(known.parts, artifact.parts);
        else {
          const parts: Part[] = [];
          append(parts, [...(known?.parts ?? []), ...artifact.parts]);
          const whole = { ...(known ?? artifact), parts };
          task.artifacts.set(id, whole);
          changed.set(id, whole);
        }
      }
    }
    // An agent that asks the same question again may send no event.
    if (name === undefined && replies.length === 0 && error === undefined) name = message.taskId;
    const task = name === undefined ? undefined : taskAt(name);
    return {
      task: name,
      state: task?.state,
      said: task?.said ?? [],
      replies,
      changed: [...changed.values()],
      artifacts: [...(task?.artifacts.values() ?? [])],
      error,
    };
  });
}
