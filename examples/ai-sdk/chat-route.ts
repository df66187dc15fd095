import { agentModel } from "a2a-codegen-runtime/bridges/ai-sdk";
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { remoteAgent } from "../../generated/1.0/kit/client/index.js";

const model = agentModel(remoteAgent(process.env["AGENT"] ?? "http://127.0.0.1:4000"));

/** Answers the messages of a page with `useChat`. */
export async function POST(request: Request): Promise<Response> {
  const body = (await request.json()) as { messages: UIMessage[] };
  const messages = await convertToModelMessages(body.messages);
  const { stream } = streamText({ model, messages, abortSignal: request.signal });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
}
