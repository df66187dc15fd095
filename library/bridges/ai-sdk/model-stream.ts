import type { AnswerUpdate, AskOptions, Outcome } from "../../client/answer.js";
import type { RemoteAgent } from "../../client/remote-agent.js";
import { type Part, TaskState } from "../../kit/model.js";
import { isInterrupted } from "../../kit/states.js";
import { json } from "../../kit/turns/json.js";
import { isObject } from "../../runtime/base/json.js";
import { base64Of } from "../../runtime/protobuf/base64.js";
import { reportOf } from "../report.js";
import type { ConversationIds, IdSigner } from "./signed-ids.js";
import type { ModelCall, ModelPart, PromptPart, Usage, Warning } from "./model-types.js";

/** Key of the metadata about the conversation with the agent. */
const key = "a2a";

/** Yields the parts of a response: the answer of a remote agent. */
export async function* modelParts(
  agent: Pick<RemoteAgent, "ask">,
  call: ModelCall,
  signal: AbortSignal,
  signer?: IdSigner,
): AsyncGenerator<ModelPart, void, undefined> {
  const { content, warnings } = contentOf(call);
  yield { type: "stream-start", warnings };
  const writer = new PartWriter(signer);
  try {
    if (content.length === 0) throw new TypeError("The prompt has no new user message");
    const ids = await conversationIn(call, signer);
    const answer = agent.ask(content, { ...ids, ...headersIn(call), signal });
    for await (const update of answer) yield* writer.update(update);
    yield* writer.end(await answer.result());
  } catch (error) {
    // The AI SDK expects the abort as the error of the stream.
    if (signal.aborted) throw error;
    yield { type: "error", error };
  }
}

/** Writes the updates of an answer as parts. */
class PartWriter {
  readonly #signer: IdSigner | undefined;
  #blocks = 0;
  #open: string | undefined;
  #artifactId: string | undefined;

  constructor(signer: IdSigner | undefined) {
    this.#signer = signer;
  }

  *update(update: AnswerUpdate): Generator<ModelPart> {
    if (update.type === "progress") return;
    const { artifactId } = update.artifact;
    // A text that was written cannot be taken back, so the new text is a block of its own.
    if (update.type !== "text" || artifactId !== this.#artifactId) yield* this.#close();
    this.#artifactId = artifactId;
    if (update.type === "text") yield* this.#text(update.text);
    else if (update.type === "part") yield* this.#part(update.part);
  }

  /** Yields the end of a response. Throws an error if the agent has failed. */
  async *end({ said, text, ...outcome }: Outcome): AsyncGenerator<ModelPart> {
    const { state, task } = outcome;
    if (state === TaskState.Failed || state === TaskState.Rejected)
      throw new Error(`The agent ${state === TaskState.Failed ? "failed" : "refused"}: ${said}`);
    // Without an update, the text of the task belongs to earlier turns.
    const rest = this.#blocks > 0 && said === text ? "" : said;
    if (rest !== "") {
      yield* this.#close();
      yield* this.#text(rest);
    }
    // The next prompt contains the text, and therefore its metadata.
    const { signInAt, taskId, contextId, ...report } = reportOf({ said, text, ...outcome });
    const signature = await this.#signer?.sign({ contextId, taskId });
    const about = { state: report.state, contextId, taskId, signInAt, signature };
    const metadata = { [key]: json<object>(about) };
    if (this.#open === undefined) yield* this.#text("");
    yield* this.#close(metadata);
    const unified = state === TaskState.Completed || isInterrupted(state) ? "stop" : "other";
    const finishReason = { unified, raw: report.state } as const;
    yield {
      type: "finish",
      finishReason,
      usage: usageIn(task?.metadata),
      providerMetadata: metadata,
    };
  }

  *#text(text: string): Generator<ModelPart> {
    let delta = text;
    if (this.#open === undefined) {
      // The AI SDK joins the texts of all blocks.
      if (this.#blocks > 0 && text !== "") delta = `\n\n${text}`;
      this.#open = `text-${String(this.#blocks++)}`;
      yield { type: "text-start", id: this.#open };
    }
    yield { type: "text-delta", id: this.#open, delta };
  }

  *#part({
    raw,
    url,
    data,
    mediaType = "application/octet-stream",
    filename,
  }: Part): Generator<ModelPart> {
    if (raw !== undefined) yield { type: "file", mediaType, data: raw };
    else if (url !== undefined)
      yield {
        type: "source",
        sourceType: "url",
        id: url,
        url,
        ...(filename !== undefined && { title: filename }),
      };
    else yield* this.#text(`\`\`\`json\n${JSON.stringify(data, undefined, 2)}\n\`\`\`\n`);
  }

  *#close(
    providerMetadata?: Extract<ModelPart, { type: "text-end" }>["providerMetadata"],
  ): Generator<ModelPart> {
    if (this.#open === undefined) return;
    yield { type: "text-end", id: this.#open, ...(providerMetadata && { providerMetadata }) };
    this.#open = undefined;
  }
}

/** Returns the new user messages of a prompt as parts for the agent, and the warnings. */
function contentOf({ prompt, tools, responseFormat }: ModelCall): {
  content: Part[];
  warnings: Warning[];
} {
  const warnings: Warning[] = [];
  if (tools !== undefined && tools.length > 0)
    warnings.push({ type: "unsupported", feature: "tools" });
  if (responseFormat?.type === "json")
    warnings.push({ type: "unsupported", feature: "responseFormat" });
  if (prompt.some(({ role }) => role === "system"))
    warnings.push({ type: "other", message: "A remote agent takes no system message" });
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  const content = prompt
    .slice(last + 1)
    .flatMap(({ role, content: parts }) =>
      role === "user" && typeof parts !== "string" ? parts.map(partOf) : [],
    );
  return { content, warnings };
}

function partOf({ type, text, data, mediaType, filename }: PromptPart): Part {
  if (type === "text") return { text: String(text) };
  const named = {
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof filename === "string" && { filename }),
  };
  if (data instanceof URL) return { url: data.href, ...named };
  if (data instanceof Uint8Array) return { raw: base64Of(data), ...named };
  return { raw: String(data), ...named };
}

/** Returns the ids of the conversation: from the options of the call, or from the last answer. */
async function conversationIn(
  { prompt, providerOptions }: ModelCall,
  signer: IdSigner | undefined,
): Promise<ConversationIds> {
  const own = providerOptions?.[key] ?? {};
  const last = prompt.findLast(({ role }) => role === "assistant");
  const parts = typeof last?.content === "string" ? [] : (last?.content ?? []);
  const found = parts.findLast((part) => part.providerOptions?.[key] !== undefined);
  const about = found?.providerOptions?.[key] ?? last?.providerOptions?.[key] ?? {};
  // The id of a task is only present if the task waits for an answer.
  const known = idsIn(about);
  const hasIds = known.contextId !== undefined || known.taskId !== undefined;
  if (signer !== undefined && hasIds && !(await signer.isSigned(known, about["signature"])))
    throw new TypeError("The ids of the conversation in the messages belong to another user");
  const { contextId = known.contextId, taskId = known.taskId } = idsIn(own);
  return { contextId, taskId };
}

function idsIn(members: Readonly<Record<string, unknown>>): ConversationIds {
  return { contextId: textIn(members["contextId"]), taskId: textIn(members["taskId"]) };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function headersIn({ headers = {} }: ModelCall): Pick<AskOptions, "headers"> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    // The AI SDK adds its own name to the requests of all providers.
    value === undefined || name.toLowerCase() === "user-agent" ? [] : [[name, value] as const],
  );
  return given.length === 0 ? {} : { headers: Object.fromEntries(given) };
}

/** Returns the usage that an agent of the AI SDK reports in the metadata of its task. */
function usageIn(metadata: unknown): Usage {
  const about = isObject(metadata) ? metadata["aiSdk"] : undefined;
  const usage: Record<string, unknown> =
    isObject(about) && isObject(about["usage"]) ? about["usage"] : {};
  const count = (value: unknown): number | undefined =>
    typeof value === "number" ? value : undefined;
  return {
    inputTokens: {
      total: count(usage["inputTokens"]),
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: { total: count(usage["outputTokens"]), text: undefined, reasoning: undefined },
  };
}
