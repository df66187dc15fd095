import { simulateReadableStream, type LanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
type Call = Parameters<MockLanguageModelV3["doStream"]>[0];
type Stream = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type Chunk = Stream extends ReadableStream<infer C> ? C : never;

/** Stands in for a real model: it sends a mail if it is asked to, and otherwise says hello. */
export const model: LanguageModel = new MockLanguageModelV3({
  doStream: ({ prompt }: Call) =>
    Promise.resolve({ stream: simulateReadableStream({ chunks: answer(prompt) }) }),
});

function answer(prompt: Call["prompt"]): Chunk[] {
  const last = prompt.at(-1);
  const asked = JSON.stringify(last?.content);
  if (last?.role === "user" && asked.includes("mail")) {
    const input = JSON.stringify({ to: "Ada" });
    return [
      { type: "tool-call", toolCallId: "1", toolName: "mail", input },
      { type: "finish", usage, finishReason: { unified: "tool-calls", raw: "" } },
    ];
  }
  const isSent = asked.includes("Sent to");
  const text = last?.role === "user" ? "Hello!" : isSent ? "The mail is sent." : "All right.";
  const words = text.split(/(?<= )/);
  return [
    { type: "text-start", id: "1" },
    ...words.map((delta): Chunk => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish", usage, finishReason: { unified: "stop", raw: "" } },
  ];
}
