import type { AnswerUpdate, ArtifactHead, Outcome } from "../../client/answer.js";
import { type Part, TaskState } from "../../kit/model.js";
import { isInterrupted } from "../../kit/states.js";
import { dataOf, textOf } from "../../kit/turns/updates.js";
import { isObject } from "../../runtime/base/json.js";
import { reportOf } from "../report.js";
import type { RunInput } from "./input.js";

/** An event of AG-UI. */
export interface AgUiEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A message with text of an artifact, or of the status of the task. */
interface TextMessage {
  readonly id: string;
  readonly artifactId: string;
  content: string;
}

/** Writes the updates of a task as events of AG-UI. */
export class EventWriter {
  readonly #input: RunInput;
  readonly #id = crypto.randomUUID();
  /** Messages of this run whose text is valid. */
  #messages: TextMessage[] = [];
  #count = 0;
  /** Numbers of the parts of artifacts. */
  readonly #parts = new Map<string, number>();
  #open: TextMessage | undefined;
  #artifactId = "";

  constructor(input: RunInput) {
    this.#input = input;
  }

  *update(update: AnswerUpdate): Generator<AgUiEvent> {
    if (update.type === "progress") {
      const [data] = dataOf(update.message);
      const content = { text: textOf(update.message), ...(data !== undefined && { data }) };
      yield this.#activity("progress", "last", content);
      return;
    }
    const { artifactId } = update.artifact;
    if (update.type !== "text" || artifactId !== this.#artifactId) yield* this.#close();
    this.#artifactId = artifactId;
    if (update.type === "text") yield* this.#text(update.text, artifactId);
    else if (update.type === "part") yield this.#part(update.part, update.artifact);
    else yield* this.#replaced(artifactId);
  }

  /** Yields the end of a run whose task has ended or waits. */
  *end(outcome: Outcome): Generator<AgUiEvent> {
    const { state, said, task } = outcome;
    const report = reportOf(outcome);
    const isFailure = state === TaskState.Failed || state === TaskState.Rejected;
    const isWritten = this.#messages.some(({ content }) => content === said);
    if (said !== "" && !isFailure && !isWritten) {
      yield* this.#close();
      yield* this.#text(said, "");
    }
    yield* this.#close();
    yield* this.state(report.contextId, report.taskId);
    if (isFailure) {
      const message = said === "" ? `The task of the agent is ${report.state}` : said;
      yield { type: "RUN_ERROR", message, code: report.state };
    } else if (task !== undefined && isInterrupted(state)) {
      const { signInAt, contextId } = report;
      const message = task.status.message;
      const questions = message === undefined ? [] : dataOf(message);
      const a2a = {
        state: report.state,
        ...(contextId !== undefined && { contextId }),
        ...(signInAt !== undefined && { signInAt }),
        ...(questions.length > 0 && { questions }),
      };
      const interrupt = {
        id: task.id,
        reason: report.state.replaceAll("-", "_"),
        message: said,
        ...(state === TaskState.InputRequired && { responseSchema }),
        metadata: { a2a },
      };
      yield this.finished({ type: "interrupt", interrupts: [interrupt] });
    } else yield this.finished({ type: state === TaskState.Canceled ? "cancelled" : "success" });
  }

  /** Yields the state of the page with the ids that the next run requires, if they have changed. */
  *state(contextId: string | undefined, taskId?: string): Generator<AgUiEvent> {
    const { state, threadId } = this.#input;
    const isOther = contextId !== undefined && contextId !== threadId;
    if (
      (isOther ? contextId : undefined) === this.#input.contextId &&
      taskId === this.#input.taskId
    )
      return;
    // The ids cannot be added to a state that is not an object.
    if (!isObject(state) && state !== undefined && state !== null) return;
    const a2a = { ...(isOther && { contextId }), ...(taskId !== undefined && { taskId }) };
    yield { type: "STATE_SNAPSHOT", snapshot: { ...(isObject(state) && state), a2a } };
  }

  finished(outcome: object): AgUiEvent {
    const { threadId, runId } = this.#input;
    return { type: "RUN_FINISHED", threadId, runId, outcome };
  }

  *#text(delta: string, artifactId: string): Generator<AgUiEvent> {
    if (delta === "") return;
    if (this.#open === undefined) {
      const id = `${this.#id}:${String(this.#count++)}`;
      this.#open = { id, artifactId, content: "" };
      this.#messages.push(this.#open);
      yield { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" };
    }
    this.#open.content += delta;
    yield { type: "TEXT_MESSAGE_CONTENT", messageId: this.#open.id, delta };
  }

  *#close(): Generator<AgUiEvent> {
    if (this.#open === undefined) return;
    yield { type: "TEXT_MESSAGE_END", messageId: this.#open.id };
    this.#open = undefined;
  }

  #part(part: Part, { artifactId, name }: ArtifactHead): AgUiEvent {
    const index = this.#parts.get(artifactId) ?? 0;
    this.#parts.set(artifactId, index + 1);
    const artifact = { artifactId, ...(name !== undefined && { name }) };
    const type = part.data === undefined ? "file" : "data";
    return this.#activity(type, `${artifactId}:${String(index)}`, { ...part, artifact });
  }

  /** An activity is a message of the page, so that the page still shows it after the run. */
  #activity(type: string, id: string, content: object): AgUiEvent {
    const messageId = `${this.#id}:${type}:${id}`;
    return { type: "ACTIVITY_SNAPSHOT", messageId, activityType: `a2a-${type}`, content };
  }

  /** Removes the texts of an artifact from the page. New parts take the ids of earlier parts. */
  *#replaced(artifactId: string): Generator<AgUiEvent> {
    this.#parts.delete(artifactId);
    const valid = this.#messages.filter((message) => message.artifactId !== artifactId);
    if (valid.length === this.#messages.length) return;
    this.#messages = valid;
    const own = valid.map(({ id, content }) => ({ id, role: "assistant", content }));
    yield { type: "MESSAGES_SNAPSHOT", messages: [...this.#input.messages, ...own] };
  }
}

const responseSchema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
};
