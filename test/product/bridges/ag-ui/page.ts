import { type AgentSubscriber, HttpAgent, type RunAgentParameters } from "@ag-ui/client";
import type { Event, Interrupt, Message } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import {
  artifact,
  authRequired,
  type Behavior,
  completed,
  dataOf,
  failed,
  filesOf,
  inputRequired,
  message as reply,
  rejected,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { agUiHandler, type AgUiOptions } from "../../../../library/bridges/ag-ui.js";
import type { FetchHandler } from "../../../../library/runtime/http/adapters/fetch.js";
import { readEvents } from "../../../../library/runtime/http/sse.js";
import { gate, talkTo } from "../talk.js";

export const png = "iVBORw0KGgo=";

type State = string;

/** Serves an agent with everything that a page shows through the bridge. */
export async function served(options: AgUiOptions = {}) {
  const signedIn = gate();
  const aborted = gate();
  const behavior: Behavior<unknown, State> = {
    reply: ({ message }) => (textOf(message) === "ping" ? reply("pong") : undefined),
    async *run({ message, state, signal, emit, untilAborted }) {
      const text = textOf(message);
      const [data] = dataOf(message);
      if (state !== undefined) return completed(`${state}: ${data ? JSON.stringify(data) : text}`);
      switch (text) {
        case "book":
          return inputRequired("How long?", { state: "Oslo" });
        case "mail":
          return inputRequired([{ text: "Allow mail?" }, { data: { id: "c1", tool: "mail" } }], {
            state: "Mail",
          });
        case "secret":
          return authRequired("Sign in at https://login.example/x", { state: "Signed in" });
        case "link":
          await emit(authRequired("Sign in at https://login.example/y"));
          await untilAborted(signedIn.opened);
          return completed("Welcome");
        case "fail":
          return failed("Out of paper");
        case "refuse":
          return rejected("Not on Sundays");
        case "crash":
          throw new Error("password=hunter2");
        case "wait":
          signal.addEventListener("abort", aborted.open);
          yield artifact("report").text("Begun");
          await untilAborted(new Promise(() => undefined));
          return completed();
        case "again":
          yield artifact("other").text("Kept");
          yield artifact("report").text("A draft");
          yield artifact("report").text("The report");
          return completed();
        case "picture":
          yield artifact("a.png").finish([{ raw: png, filename: "a.png", mediaType: "image/png" }]);
          yield artifact("numbers").data({ cups: 2 });
          return completed();
        default:
          yield working("Reading");
      }
      const files = filesOf(message).map(
        (file) => ` ${file.filename ?? ""}${file.mediaType ?? ""}`,
      );
      yield* artifact("report").from(["# Tea", "\n\n", `You said ${text}`, ...files]);
      return completed();
    },
  };
  const { client, errors } = await talkTo(behavior);
  const handler = agUiHandler(remoteAgent(client), options);
  /** Returns the state of the last task. */
  const stateOf = async () => (await client.listTasks({})).tasks[0]?.status.state;
  return { client, errors, handler, stateOf, signedIn, aborted: aborted.opened };
}

/** Returns a page with the client of AG-UI. */
export function pageOf(handler: FetchHandler, threadId: string = crypto.randomUUID()) {
  const agent = new HttpAgent({
    url: "http://page.test/agent",
    threadId,
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const heard: { events: Event[]; failure?: string } = { events: [] };
  const subscriber: AgentSubscriber = {
    onEvent: ({ event }) => void heard.events.push(EventSchemas.parse(event) as Event),
    onRunErrorEvent: ({ event }) => void (heard.failure = `${event.code}: ${event.message}`),
  };
  const run = async (parameters: RunAgentParameters = {}) => {
    heard.events = [];
    delete heard.failure;
    const { newMessages } = await agent.runAgent(parameters, subscriber);
    return { ...heard, newMessages, texts: textsOf(newMessages) };
  };
  return {
    agent,
    /** Sends a message of the user, and returns the events and the new messages of the page. */
    say: (content: string | UserContent, parameters?: RunAgentParameters) => {
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
      return run(parameters);
    },
    /** Answers the question of the last run. */
    answer: (payload?: unknown) =>
      run({
        resume: [
          {
            interruptId: idOf(agent),
            status: "resolved",
            ...(payload !== undefined && { payload }),
          },
        ],
      }),
    cancel: () => run({ resume: [{ interruptId: idOf(agent), status: "cancelled" }] }),
    get question(): Interrupt | undefined {
      return agent.pendingInterrupts[0];
    },
  };
}

type UserContent = Exclude<Extract<Message, { role: "user" }>["content"], string>;

function idOf({ pendingInterrupts: [interrupt] }: HttpAgent): string {
  return interrupt?.id ?? "";
}

/** Returns the texts of the agent in the messages of a page. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content === "string" ? [content] : [],
  );
}

/** Returns the input of a run with a message of the user. */
export function inputOf(content: unknown, more: object = {}) {
  const messages = [{ id: "m1", role: "user", content }];
  return { threadId: "t1", runId: "r1", messages, tools: [], context: [], ...more };
}

/** Returns the request for a run. */
export function requestOf(body: unknown, init: RequestInit = {}): Request {
  return new Request("http://page.test/agent", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

/** Yields the events of a response as the schemas of AG-UI read them. */
export async function* eventsIn({ body }: Response): AsyncGenerator<Event, undefined, undefined> {
  if (body === null) return undefined;
  for await (const { data } of readEvents(body)) {
    const event: unknown = JSON.parse(data);
    yield EventSchemas.parse(event) as Event;
  }
  return undefined;
}
