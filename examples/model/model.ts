/** Part of a message to the model, in the form of the AI SDK. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly data: string; readonly mediaType: string };

/** Message to the model, in the form of the AI SDK. */
export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly content: ModelPart[];
}

/** Function that the model can call. */
export interface Tool<Input> {
  readonly description: string;
  readonly execute: (input: Input) => Promise<string>;
}

/** Arguments of {@link streamText}. */
export interface Prompt {
  readonly messages: readonly ModelMessage[];
  readonly tools: { readonly weather: Tool<{ city: string }>; readonly save: Tool<{ name: string; text: string }> };
  readonly abortSignal: AbortSignal;
}

/** Stands in for `streamText` of the AI SDK: it has the same arguments and result, but its answers are scripted. */
export function streamText(prompt: Prompt): { readonly textStream: AsyncIterable<string> } {
  return { textStream: stream(prompt) };
}

async function* stream(prompt: Prompt): AsyncGenerator<string> {
  for (const word of (await answerTo(prompt)).split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    prompt.abortSignal.throwIfAborted();
    yield word;
  }
}

async function answerTo({ messages, tools }: Prompt): Promise<string> {
  const parts = messages.at(-1)?.content ?? [];
  const question = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (question.includes("weather")) return `It is ${await tools.weather.execute({ city: "Oslo" })} in Oslo.`;
  if (question.includes("file")) return tools.save.execute({ name: "notes.txt", text: "Bring a coat." });
  if (question.includes("Count")) return Array.from({ length: 1_000 }, (_, index) => index + 1).join(" ");
  const files = parts.flatMap((part) => (part.type === "file" ? [`${part.mediaType}: ${atob(part.data)}`] : []));
  return files.join() || `I remember ${messages.length - 1} earlier messages.`;
}
