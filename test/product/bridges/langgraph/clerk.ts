import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, interrupt, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { memberOf } from "../../../../library/bridges/reading.js";
import { callText, fileText, type Framework, linesOf, stepOf, type Tools } from "../framework.js";
import { call, ScriptedModel } from "./graphs.js";

function toolsOf({ mail, weather, slow }: Tools) {
  return [
    tool(
      (args: { to: string }) => {
        // The question of LangChain's middleware for approvals.
        const request = { actionRequests: [{ name: "mail", args }] };
        const { decisions } = interrupt<
          object,
          { decisions: { type: string; message?: string }[] }
        >(request);
        const [{ type, message } = { type: "reject" }] = decisions;
        return type === "approve" ? mail(args.to) : (message ?? "not approved");
      },
      { name: "mail", schema: z.object({ to: z.string() }) },
    ),
    tool(({ city }: { city: string }) => weather(city), {
      name: "weather",
      schema: z.object({ city: z.string() }),
    }),
    tool((_: object, { signal }: { signal?: AbortSignal }) => slow(signal), {
      name: "slow",
      schema: z.object({}),
    }),
  ];
}

const roles = new Map<string, string>([
  ["human", "user"],
  ["ai", "assistant"],
]);

/** Returns the role and the texts of a message. */
function saidIn(message: BaseMessage): string[] {
  const role = roles.get(message.type) ?? message.type;
  const texts = message.contentBlocks.map((block) => {
    const { type, text, mimeType, data, metadata, name, args } = block as Record<string, unknown>;
    if (type === "tool_call") return callText(String(name), args);
    if (mimeType === undefined) return String(text);
    return fileText(mimeType, data, memberOf(metadata, "filename"));
  });
  return [role, ...texts];
}

/** LangGraph, with graphs that are served. */
export const langGraph: Framework = {
  name: "LangGraph",
  lacks: { "known ids of questions": "LangGraph derives them from a checkpoint" },
  agent(script, tools) {
    const model = new ScriptedModel((all) => stepOf(script, linesOf(all.map(saidIn))));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => ({
        messages: [await model.invoke(messages, config)],
      }))
      .addNode("tool", new ToolNode(toolsOf(tools)))
      .addEdge(START, "model")
      .addConditionalEdges(
        "model",
        ({ messages }) => {
          const last = messages.at(-1);
          const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
          if (calls.length === 0) return END;
          return calls.map((each) => new Send("tool", { lg_tool_call: each }));
        },
        ["tool", END],
      )
      .addEdge("tool", "model")
      .compile({ checkpointer: kitSaver() });
    return {
      serve: (options) => graphAgent(graph, options),
      async stream(prompt) {
        const options = { streamMode: "messages", configurable: { thread_id: "alone" } } as const;
        const input = { messages: [{ role: "user", content: prompt }] };
        let text = "";
        for await (const [message] of await graph.stream(input, options))
          if (message.type === "ai") text += message.text;
        return text;
      },
    };
  },
  call,
  image: (data) => ({ contentBlocks: [{ type: "image", mimeType: "image/png", data }] }),
  reasoning: (reasoning) => [{ content: [{ type: "reasoning", reasoning }] }],
  metadata: (calls) => ({
    langGraph: {
      usage: { input_tokens: 10 * calls, output_tokens: 5 * calls, total_tokens: 15 * calls },
    },
  }),
  decision(id, approved, reason) {
    const message = reason === undefined ? {} : { message: reason };
    const value = { decisions: [approved ? { type: "approve" } : { type: "reject", ...message }] };
    return id === undefined ? value : { id, value };
  },
};
