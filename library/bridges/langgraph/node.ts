import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { json } from "../../kit/turns/json.js";
import { type Content } from "../../kit/turns/updates.js";
import { type Artifact, TaskState } from "../../kit/model.js";
import { isInterrupted } from "../../kit/states.js";
import type { Answer, AskOptions, Outcome } from "../../client/answer.js";
import type { RemoteAgent } from "../../client/remote-agent.js";
import { filesIn, stateName } from "../report.js";
import { fileBlock, partsOf } from "./content.js";
import type { RemoteUpdate } from "./remote-update.js";

/** Options of `agentNode`. */
export interface AgentNodeOptions {
  /** Name of the agent in the messages of the graph; `agent` by default. */
  readonly name?: string;
  /** Returns options for the calls of a run, such as the `headers` of its user. */
  readonly ask?: (
    config: LangGraphRunnableConfig,
  ) => Pick<AskOptions, "headers" | "metadata" | "extensions" | "acceptedOutputModes">;
}

/** Question of a remote agent: the value of the interrupt. */
export interface RemoteQuestion {
  readonly question: string;
  readonly taskId: string;
  /** URLs at which the user can sign in. */
  readonly signInAt?: readonly string[];
}

/** A task of the remote agent. */
interface Exchange {
  /** The question that the agent asks. */
  readonly waiting?: RemoteQuestion;
  /** Number of answers so far. */
  readonly answers: number;
  /** Number of characters of the text that were streamed; -1 if some of them are void. */
  readonly streamed: number;
}

const fresh: Exchange = { answers: 0, streamed: 0 };

const NodeState = Annotation.Root({
  ...MessagesAnnotation.spec,
  a2a: Annotation<Exchange>({ reducer: (_, next) => next, default: () => fresh }),
});

interface NodeUpdate {
  readonly messages?: BaseMessage[];
  readonly a2a: Exchange;
}

/**
 * Returns a node that sends the last message to a remote agent, and adds its answer as a message.
 * A question of the remote agent is an interrupt, whose answer goes to the same task. The node is
 * a subgraph, so that a resumed run does not send the message again.
 *
 * @example
 * builder.addNode("researcher", agentNode(remote, { name: "researcher" }));
 */
export function agentNode(remote: RemoteAgent, { name = "agent", ask }: AgentNodeOptions = {}) {
  async function updateOf(
    answer: Answer,
    id: string,
    { answers, streamed }: Exchange,
    config: LangGraphRunnableConfig,
    skipped = 0,
  ): Promise<NodeUpdate> {
    const namespace = String(config.configurable?.["checkpoint_ns"] ?? "");
    const write = (written: Pick<RemoteUpdate, "update" | "isWhole">): void => {
      config.writer?.({ type: "a2a", ...written, id, namespace } satisfies RemoteUpdate);
    };
    for await (const update of answer) {
      if (update.type === "replaced") streamed = -1;
      if (update.type !== "text") {
        write({ update });
        continue;
      }
      const text = update.text.slice(skipped);
      skipped = Math.max(0, skipped - update.text.length);
      if (text !== "") write({ update: { ...update, text } });
      if (streamed >= 0) streamed += text.length;
    }
    const outcome = await answer.result();
    const { state, said, task, links } = outcome;
    if (state === TaskState.Failed || state === TaskState.Rejected || state === TaskState.Canceled)
      throw new Error(`The task of the agent "${name}" is ${stateName(state)}: ${said}`);
    if (task !== undefined && isInterrupted(state)) {
      const signInAt = state === TaskState.AuthRequired ? { signInAt: links } : {};
      return {
        a2a: { waiting: { question: said, taskId: task.id, ...signInAt }, answers, streamed },
      };
    }
    if (streamed > 0 && streamed === lengthOf(task?.artifacts)) write({ isWhole: true });
    return { messages: [messageOf(outcome, name, id)], a2a: fresh };
  }
  const optionsOf = (config: LangGraphRunnableConfig): AskOptions => ({
    ...ask?.(config),
    signal: config.signal,
  });

  async function send(
    { messages }: typeof NodeState.State,
    config: LangGraphRunnableConfig,
  ): Promise<NodeUpdate> {
    const last = messages.at(-1);
    if (last === undefined)
      throw new Error(`The message for the agent "${name}" is missing: the graph has no messages`);
    // The same id if the node runs again, so that the agent can detect the repetition.
    const messageId = last.id ?? crypto.randomUUID();
    const options = { ...optionsOf(config), messageId, contextId: contextIn(messages, name) };
    return updateOf(remote.ask(partsOf(last), options), `${messageId}-answer`, fresh, config);
  }

  async function question(
    { messages, a2a }: typeof NodeState.State,
    config: LangGraphRunnableConfig,
  ): Promise<NodeUpdate> {
    const { waiting } = a2a;
    if (waiting === undefined) throw new Error(`The agent "${name}" has asked no question`);
    const given = interrupt<RemoteQuestion, unknown>(waiting);
    const { taskId, signInAt } = waiting;
    const id = `${messages.at(-1)?.id ?? taskId}-answer`;
    if (signInAt !== undefined) {
      // The task may have continued after the sign-in, without a message.
      const followed = remote.follow(taskId, optionsOf(config));
      // The answer begins with the chunks that were streamed before the sign-in.
      const update = await updateOf(followed, id, a2a, config, Math.max(0, a2a.streamed));
      if (update.a2a.waiting?.signInAt === undefined) return update;
    }
    const answers = a2a.answers + 1;
    const messageId = `${taskId}-${String(answers)}`;
    const options = { ...optionsOf(config), messageId, taskId };
    return updateOf(remote.ask(contentOf(given), options), id, { ...a2a, answers }, config);
  }

  const next = ({ a2a }: typeof NodeState.State): "question" | typeof END =>
    a2a.waiting === undefined ? END : "question";
  return new StateGraph(NodeState)
    .addNode("send", send)
    .addNode("question", question)
    .addEdge(START, "send")
    .addConditionalEdges("send", next, ["question", END])
    .addConditionalEdges("question", next, ["question", END])
    .compile();
}

/** Returns the number of characters in artifacts. */
function lengthOf(artifacts: readonly Artifact[] = []): number {
  const texts = artifacts.flatMap(({ parts }) => parts.map(({ text = "" }) => text));
  return texts.join("").length;
}

/** Returns the conversation that the agent has had with this graph. */
function contextIn(messages: readonly BaseMessage[], name: string): string | undefined {
  for (const message of messages.toReversed()) {
    const context: unknown = message.additional_kwargs["a2aContextId"];
    if (message.name === name && typeof context === "string") return context;
  }
  return undefined;
}

function messageOf(outcome: Outcome, name: string, id: string): AIMessage {
  const { text, contextId } = outcome;
  const files = filesIn(outcome).map(({ raw, url, mediaType, filename }) =>
    fileBlock({
      mediaType: mediaType ?? "application/octet-stream",
      ...(filename !== undefined && { filename }),
      ...(raw !== undefined && { data: raw }),
      ...(url !== undefined && { url }),
    }),
  );
  const fields = { id, name, additional_kwargs: { a2aContextId: contextId } };
  return files.length === 0
    ? new AIMessage({ ...fields, content: text })
    : new AIMessage({ ...fields, contentBlocks: [{ type: "text", text }, ...files] });
}

/** Returns the answer of the user: text, or a value as data. */
function contentOf(given: unknown): Content {
  return typeof given === "string" ? given : [{ data: json<unknown>(given) }];
}
