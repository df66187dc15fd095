// Calls an agent with `RemoteA2AAgent` of ADK for JavaScript.
import { InMemoryRunner, RemoteA2AAgent, setLogLevel } from "@google/adk";
import { play } from "./play.mjs";

const noLogs = 9;
const user = { appName: "trial", userId: "user" };
setLogLevel(noLogs);

await play(async ({ url, file: { raw, mediaType } }) => {
  const agent = new RemoteA2AAgent({ name: "remote", agentCard: url });
  const runner = new InMemoryRunner({ agent, appName: user.appName });
  const { id: sessionId } = await runner.sessionService.createSession(user);
  return async (text, withFile, aborts) => {
    const parts = [{ text }];
    if (withFile) parts.push({ inlineData: { data: raw, mimeType: mediaType } });
    const controller = new AbortController();
    const heard = { streamed: "", kept: "", files: 0, facts: [] };
    for await (const { partial, content, errorMessage } of runner.runAsync({
      ...user,
      sessionId,
      newMessage: { role: "user", parts },
      abortSignal: controller.signal,
    })) {
      if (errorMessage !== undefined) heard.error = errorMessage;
      for (const part of content?.parts ?? []) {
        // The session only keeps events that are not partial.
        heard[partial ? "streamed" : "kept"] += part.text ?? "";
        if (part.inlineData !== undefined) heard.files += 1;
        if (part.functionCall !== undefined) heard.facts.push(part.functionCall.name);
      }
      if (aborts) {
        controller.abort();
        break;
      }
    }
    return heard;
  };
});
