import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Step } from "../framework.js";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  Annotation,
  type BaseCheckpointSaver,
  DeltaChannel,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

/** A chat model that streams the steps that a script returns for its messages. */
export class ScriptedModel extends BaseChatModel {
  readonly #script: (messages: BaseMessage[]) => Step;
  readonly #beforeWord: () => Promise<void> | void;

  constructor(
    script: (messages: BaseMessage[]) => Step,
    beforeWord: () => Promise<void> | void = () => undefined,
  ) {
    super({});
    this.#script = script;
    this.#beforeWord = beforeWord;
  }

  override _llmType(): string {
    return "scripted";
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): Promise<ChatResult> {
    let message = new AIMessageChunk("");
    for await (const chunk of this.#chunks(messages, options)) message = message.concat(chunk);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const message of this.#chunks(messages, options)) {
      const { text } = message;
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  async *#chunks(
    messages: BaseMessage[],
    { signal }: this["ParsedCallOptions"],
  ): AsyncGenerator<AIMessageChunk> {
    for (const item of this.#script(messages)) {
      if (typeof item === "function") await item(signal);
      else if (item instanceof Error) throw item;
      else
        for (const content of typeof item === "string" ? item.split(/(?<= )/) : [item]) {
          await this.#beforeWord();
          signal?.throwIfAborted();
          yield new AIMessageChunk(content);
        }
    }
    const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    yield Object.assign(new AIMessageChunk(""), { usage_metadata });
  }
}

/** Returns an item of a step that calls a tool. */
export function call(name: string, input: object, id: string = crypto.randomUUID()): object {
  const chunk = { name, args: JSON.stringify(input), id, type: "tool_call_chunk" };
  return { content: "", tool_call_chunks: [chunk] };
}

type Saver = BaseCheckpointSaver | undefined;

/** Returns the option of `compile` for a checkpointer, if there is one. */
export function saving(checkpointer: Saver) {
  return checkpointer === undefined ? {} : { checkpointer };
}

/** A graph with one node, which calls a model. */
export function chat(model: ScriptedModel, checkpointer?: BaseCheckpointSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge(START, "model")
    .addEdge("model", END)
    .compile(saving(checkpointer));
}

/** A graph that plans, asks whether it may book, and books. Each model call and node is noted. */
export function booking(
  checkpointer: Saver,
  note: (what: string) => Promise<void> | void = () => undefined,
) {
  const model = new ScriptedModel(
    (messages) => [`Read ${String(messages.length)}: ${messages.at(-1)?.text ?? ""}`],
    () => note("word"),
  );
  return new StateGraph(MessagesAnnotation)
    .addNode("plan", async ({ messages }, { writer }: LangGraphRunnableConfig) => {
      await note("plan");
      writer?.("Planning");
      const answer = await model.invoke(messages);
      await note("planned");
      return { messages: [answer] };
    })
    .addNode("confirm", async () => {
      await note("confirm");
      const answer: unknown = interrupt({ question: "Book the flight?", price: 100 });
      await note("confirmed");
      return { messages: [{ role: "user", content: `answer ${JSON.stringify(answer)}` }] };
    })
    .addNode("book", async ({ messages }) => {
      await note("book");
      const answer = await model.invoke(messages);
      await note("booked");
      return { messages: [answer] };
    })
    .addEdge(START, "plan")
    .addEdge("plan", "confirm")
    .addEdge("confirm", "book")
    .addEdge("book", END)
    .compile(saving(checkpointer));
}

/** A graph whose only node calls a model, and then asks with a value. */
export function asking(value: unknown, checkpointer: BaseCheckpointSaver) {
  const model = new ScriptedModel(() => ["Let me ask."]);
  return new StateGraph(MessagesAnnotation)
    .addNode("ask", async ({ messages }) => {
      const said = await model.invoke(messages);
      const answer: unknown = interrupt(value);
      return { messages: [said, new AIMessage(JSON.stringify(answer))] };
    })
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer });
}

/** A graph without messages, with two nodes that ask at the same time. */
export function twoQuestions(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(Annotation.Root({ name: Annotation<string>(), age: Annotation<string>() }))
    .addNode("first", () => ({ name: interrupt<string, string>("Name?") }))
    .addNode("second", () => ({ age: interrupt<string, string>("Age?") }))
    .addEdge(START, "first")
    .addEdge(START, "second")
    .addEdge("first", END)
    .addEdge("second", END)
    .compile({ checkpointer });
}

/** A graph whose model calls a tool. */
export function weather(
  checkpointer: Saver,
  options: { interruptBefore?: "tools"[] } = {},
  run: () => string | Promise<string> = () => "sunny",
) {
  const model = new ScriptedModel((messages) =>
    messages.at(-1)?.type === "tool"
      ? [`It is ${messages.at(-1)?.text ?? ""}.`]
      : [call("weather", { city: "Oslo" }, "c1")],
  );
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", async () => ({
      messages: [new ToolMessage({ name: "weather", content: await run(), tool_call_id: "c1" })],
    }))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) =>
      messages.at(-1)?.type === "ai" && messages.at(-1)?.text === "" ? "tools" : END,
    )
    .addEdge("tools", "model")
    .compile({ ...saving(checkpointer), ...options });
}

/** A graph with two nodes that stream at the same time. */
export function parallelTexts() {
  const words = (name: string) =>
    new ScriptedModel(
      () => [`${name} 1 2 3 4 5`],
      () => new Promise((resolve) => setImmediate(resolve)),
    );
  const [left, right] = [words("left"), words("right")];
  return new StateGraph(MessagesAnnotation)
    .addNode("left", async ({ messages }) => ({ messages: [await left.invoke(messages)] }))
    .addNode("right", async ({ messages }) => ({ messages: [await right.invoke(messages)] }))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge("left", END)
    .addEdge("right", END)
    .compile();
}

/** A graph with a subgraph that asks a question between two messages. */
export function withSubgraph(checkpointer: Saver, note: (what: string) => void = () => undefined) {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("prepare", () => {
      note("prepare");
      return { messages: [new AIMessage("prepared")] };
    })
    .addNode("ask", () => {
      note("ask");
      return { messages: [new AIMessage(`asked ${String(interrupt("Inner?"))}`)] };
    })
    .addEdge(START, "prepare")
    .addEdge("prepare", "ask")
    .addEdge("ask", END)
    .compile();
  return new StateGraph(MessagesAnnotation)
    .addNode("inner", inner)
    .addNode("write", () => {
      note("write");
      return { messages: [new AIMessage("written")] };
    })
    .addEdge(START, "inner")
    .addEdge("inner", "write")
    .addEdge("write", END)
    .compile(saving(checkpointer));
}

/** A graph with two nodes in one step. The slow one ends after its note. */
export function parallel(
  checkpointer: BaseCheckpointSaver,
  note: (what: string) => Promise<void> | void,
) {
  const Done = Annotation.Root({
    done: Annotation<string[]>({ reducer: (one, other) => [...one, ...other], default: () => [] }),
  });
  return new StateGraph(Done)
    .addNode("fast", async () => {
      await note("fast");
      return { done: ["fast"] };
    })
    .addNode("slow", async () => {
      await note("slow");
      return { done: ["slow"] };
    })
    .addEdge(START, "fast")
    .addEdge(START, "slow")
    .addEdge("fast", END)
    .addEdge("slow", END)
    .compile({ checkpointer });
}

/** A graph that runs a subgraph ten times. */
export function looping(checkpointer: BaseCheckpointSaver) {
  const Count = Annotation.Root({ count: Annotation<number> });
  const inner = new StateGraph(Count)
    .addNode("add", ({ count }) => ({ count: count + 1 }))
    .addEdge(START, "add")
    .addEdge("add", END)
    .compile();
  return new StateGraph(Count)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .addConditionalEdges("inner", ({ count }) => (count < 10 ? "inner" : END))
    .compile({ checkpointer });
}

/** A graph that adds an answer to the list of its input, without looking at it. */
export function adding(checkpointer: BaseCheckpointSaver) {
  const append = (list: unknown[], more: unknown[]): unknown[] => list.concat(more);
  const list = Annotation<unknown[]>({ reducer: append, default: () => [] });
  return new StateGraph(Annotation.Root({ list }))
    .addNode("ask", () => ({ list: interrupt<string, unknown[]>("What else?") }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer });
}

/** State of a graph that keeps data. */
export interface Kept {
  readonly messages: BaseMessage[];
  readonly data: unknown;
  readonly answer: unknown;
}

/** A graph that keeps its input and an answer, asks again, and then shows its restored state. */
export function remembering(checkpointer: BaseCheckpointSaver, show: (state: Kept) => void) {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    data: Annotation<unknown>,
    answer: Annotation<unknown>,
  });
  return new StateGraph(State)
    .addNode("ask", () => ({ answer: interrupt<string, unknown>("First?") }))
    .addNode("again", () => {
      interrupt("Again?");
      return {};
    })
    .addNode("show", (state) => {
      show(state);
      return {};
    })
    .addEdge(START, "ask")
    .addEdge("ask", "again")
    .addEdge("again", "show")
    .addEdge("show", END)
    .compile({ checkpointer });
}

/** A graph whose channel is stored as changes, with a question between two of them. */
export function changes(checkpointer: BaseCheckpointSaver) {
  const append = (state: string[], writes: string[][]): string[] => [...state, ...writes.flat()];
  const State = Annotation.Root({ words: () => new DeltaChannel<string[], string[]>(append) });
  return new StateGraph(State)
    .addNode("one", () => ({ words: ["one"] }))
    .addNode("two", () => ({ words: ["two"] }))
    .addNode("ask", () => ({ words: [interrupt<string, string>("Next?")] }))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .addEdge("two", "ask")
    .addEdge("ask", END)
    .compile({ checkpointer });
}

/** A graph that runs a subgraph twice, which keeps its state, with a question in between. */
export function keeping(checkpointer: BaseCheckpointSaver) {
  const Own = Annotation.Root({
    count: Annotation<number>,
    runs: Annotation<number>({ reducer: (one, other) => one + other, default: () => 0 }),
  });
  const inner = new StateGraph(Own)
    .addNode("add", ({ runs }) => ({ runs: 1, count: runs + 1 }))
    .addEdge(START, "add")
    .addEdge("add", END)
    .compile({ checkpointer: true });
  return new StateGraph(Annotation.Root({ count: Annotation<number> }))
    .addNode("inner", inner)
    .addNode("ask", () => {
      interrupt("Again?");
      return {};
    })
    .addEdge(START, "inner")
    .addConditionalEdges("inner", ({ count }) => (count < 2 ? "ask" : END), ["ask", END])
    .addEdge("ask", "inner")
    .compile({ checkpointer });
}
