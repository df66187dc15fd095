import { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isObject } from "../../runtime/base/json.js";
import type { ArtifactChunk } from "../../kit/turns/artifact-chunk.js";
import { json } from "../../kit/turns/json.js";
import { type Update, working } from "../../kit/turns/updates.js";
import { fileArtifact, type ServingOptions, toolUpdates } from "../answer.js";
import { addUsage, type Usage } from "../reading.js";
import { messagesIn, partsOf, reasoningIn } from "./content.js";
import { type Interrupt, interruptsIn } from "./questions.js";
import { isRemoteUpdate } from "./remote-update.js";
import type { Texts } from "./texts.js";

/** Converts the events of a graph to updates of its task. */
export class GraphEvents {
  readonly texts: Texts;
  readonly #options: ServingOptions & { readonly nodes?: readonly string[] };
  /** Messages that were in the input of a node, or in an earlier result. */
  readonly #seen = new Set<string>();
  /** Messages of remote agents that are written, because their chunks are. */
  readonly #remote = new Set<string>();
  files: number;
  usage: Usage | undefined;
  /** Output of the graph after its last step. */
  output: Readonly<Record<string, unknown>> = {};
  questions: readonly Interrupt[] = [];
  /** Whether the graph has stopped at a static breakpoint. */
  isAtBreakpoint = false;

  constructor(
    texts: Texts,
    { files, usage }: { readonly files: number; readonly usage: Usage | undefined },
    options: ServingOptions & { readonly nodes?: readonly string[] },
  ) {
    this.texts = texts;
    this.files = files;
    this.usage = usage;
    this.#options = options;
  }

  /** Begins to read the events of a run. */
  begin(): void {
    this.questions = [];
    this.isAtBreakpoint = false;
  }

  /** Returns the updates of an event, and whether a task of the graph has ended with it. */
  *of(event: unknown): Generator<Update, boolean> {
    const [namespace, mode, payload] = listOf(event);
    if (!Array.isArray(namespace) || typeof mode !== "string") throw wrong("an event", event);
    if (mode === "messages") yield* this.#message(payload);
    else if (mode === "custom") yield* this.#custom(payload);
    else if (mode === "values") this.#values(payload, namespace.length === 0);
    else if (mode === "tasks") return yield* this.#task(payload);
    return false;
  }

  *#message(payload: unknown): Generator<Update> {
    const [message, metadata] = listOf(payload);
    if (!BaseMessage.isInstance(message) || !isObject(metadata)) throw wrong("a message", payload);
    if (!AIMessage.isInstance(message)) return;
    const tokens: unknown = message.usage_metadata;
    if (isObject(tokens)) this.usage = addUsage(this.usage ?? {}, tokens);
    const path = pathOf(metadata["langgraph_checkpoint_ns"]);
    if (!this.#isShown(path)) return;
    const reasoning = this.#options.reasoning === true ? reasoningIn(message) : "";
    yield* this.texts.reasoning(reasoning);
    const id = message.id ?? "";
    if (this.#remote.has(id)) return;
    yield* this.texts.add(id, path.tasks, message.text);
  }

  *#custom(payload: unknown): Generator<Update> {
    if (!isRemoteUpdate(payload)) {
      yield working(typeof payload === "string" ? payload : [{ data: json<unknown>(payload) }]);
      return;
    }
    const { update, isWhole, id, namespace } = payload;
    const path = pathOf(namespace);
    if (isWhole === true) this.#remote.add(id);
    if (update?.type === "progress") yield working(update.message.parts);
    else if (update?.type === "text" && this.#isShown(path))
      yield* this.texts.add(`${id} ${update.artifact.artifactId}`, path.tasks, update.text);
  }

  #values(payload: unknown, isRoot: boolean): void {
    if (!isObject(payload)) {
      if (isRoot) this.output = { value: payload };
      return;
    }
    const interrupts = payload["__interrupt__"];
    if (interrupts === undefined) {
      if (isRoot) this.output = payload;
      return;
    }
    const found = interruptsIn(interrupts);
    this.isAtBreakpoint ||= found.length === 0;
    const known = new Set(this.questions.map(({ id }) => id));
    // A subgraph and the graph around it report the same interrupt.
    this.questions = [...this.questions, ...found.filter(({ id }) => !known.has(id))];
  }

  *#task(payload: unknown): Generator<Update, boolean> {
    if (!isObject(payload) || typeof payload["id"] !== "string") throw wrong("a task", payload);
    if (!("result" in payload)) {
      for (const { id } of messagesIn(payload["input"])) if (id !== undefined) this.#seen.add(id);
      return false;
    }
    const { id, name, error, interrupts } = payload;
    if ((error ?? null) !== null || (Array.isArray(interrupts) && interrupts.length > 0))
      return false;
    for (const message of messagesIn(payload["result"])) {
      if (message.id !== undefined && this.#seen.has(message.id)) continue;
      if (message.id !== undefined) this.#seen.add(message.id);
      yield* this.#tools(message);
      if (AIMessage.isInstance(message) && this.#isShown({ nodes: [String(name)] }))
        yield* this.#filesOf(message);
    }
    yield* this.texts.end(id);
    return true;
  }

  *#tools(message: BaseMessage): Generator<Update> {
    const { tools } = this.#options;
    if (AIMessage.isInstance(message))
      for (const { id, name, args } of message.tool_calls ?? [])
        yield* toolUpdates(
          { type: "tool-call", toolName: name, toolCallId: id, input: args },
          tools,
        );
    if (!ToolMessage.isInstance(message)) return;
    const event = { toolName: message.name ?? "tool", toolCallId: message.tool_call_id };
    // The text of an error may be internal.
    if (message.status === "error") yield* toolUpdates({ type: "tool-error", ...event }, tools);
    else yield* toolUpdates({ type: "tool-result", ...event, output: message.content }, tools);
  }

  *#filesOf(message: BaseMessage): Generator<ArtifactChunk> {
    for (const { raw, mediaType = "application/octet-stream", filename } of partsOf(message)) {
      if (raw === undefined) continue;
      this.files += 1;
      yield fileArtifact({ raw, mediaType, filename }, this.files);
    }
  }

  #isShown({ nodes: path }: Pick<Path, "nodes">): boolean {
    const { nodes } = this.#options;
    return nodes === undefined || path.some((node) => nodes.includes(node));
  }
}

/** Where in a graph and its subgraphs something happens. */
interface Path {
  readonly nodes: readonly string[];
  readonly tasks: readonly string[];
}

/** Returns the nodes and tasks in a namespace, such as `outer:<task>|inner:<task>`. */
function pathOf(namespace: unknown): Path {
  const segments = typeof namespace === "string" ? namespace.split("|") : [];
  const pairs = segments.map((segment) => segment.split(":"));
  return {
    nodes: pairs.map(([node = ""]) => node),
    tasks: pairs.flatMap(([, task]) => (task === undefined ? [] : [task])),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function wrong(what: string, value: unknown): TypeError {
  const found = JSON.stringify(json<unknown>(value)).slice(0, 200);
  return new TypeError(`The graph has streamed ${what} with an unexpected form: ${found}`);
}
