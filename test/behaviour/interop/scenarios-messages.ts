import type { Message, SendMessageRequest } from "../../../generated/1.0/index.js";
import { extension } from "./card.js";
import { at, textAt } from "./json.js";
import { outcome } from "./peers.js";
import {
  user,
  stageOf,
  eventsSeen,
  seeAsked,
  send,
  start,
  everywhere,
  isRich,
  seeTask,
  seeEvents,
  stream,
  refusedAs,
  type Scenario,
} from "./scenario.js";
import { folded, metadata, parts, scenes, type SceneName } from "./scenes.js";

/** The task of each scene that scenarios send, as their names describe it. */
const outcomes = {
  work: "a task that completes",
  ask: "a task that asks for input",
  auth: "a task that asks for credentials",
  fail: "a task that fails",
  reject: "a task that is rejected",
  rich: "a task with part metadata and file names",
} satisfies Partial<Record<SceneName, string>>;

/** Sends a scene, and reads the task again. */
function sending(
  scene: keyof typeof outcomes,
  more: Partial<Message> = {},
  where = everywhere as Scenario["where"],
): Scenario {
  return {
    name: `a message starts ${outcomes[scene]}`,
    ...(where && { where }),
    async play(play) {
      const request: SendMessageRequest = { message: user(scene, more), metadata };
      const got = await send(play, request);
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest(request));
      const stage = stageOf(play, got, request.message);
      const task = folded(scenes[scene](stage));
      seeTask(play, "the task", got, task);
      const again = await outcome(
        play.caller.call("getTask", { id: stage.taskId, historyLength: 100 }),
      );
      play.see("the task when it is read again", again, play.caller.dialect.task(task));
    },
  };
}

/** Sends a scene, and reads its stream. */
function streaming(
  scene: keyof typeof outcomes,
  more: Partial<Message> = {},
  where = everywhere as Scenario["where"],
): Scenario {
  return {
    name: `a stream starts ${outcomes[scene]}`,
    ...(where && { where }),
    async play(play) {
      const request: SendMessageRequest = { message: user(scene, more), metadata };
      const got = await stream(play, request);
      seeAsked(play, "sendStreamingMessage", play.host.dialect.sendRequest(request));
      const stage = stageOf(play, got[0], request.message);
      seeEvents(play, got, eventsSeen(scenes[scene](stage)));
    },
  };
}

/** Scenarios about messages. */
export const messageScenarios: readonly Scenario[] = [
  {
    name: "the agent responds with a message",
    async play(play) {
      const { caller, see } = play;
      const contextId = "context ü/1";
      const request = {
        message: user("answer", { contextId, parts: [{ text: "answer" }, ...parts], metadata }),
      };
      const got = await send(play, request);
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest(request));
      const [event] = eventsSeen(
        scenes.answer({ taskId: "", contextId, message: request.message }),
      );
      if (event?.message === undefined) throw new Error("The scene is a message");
      see("the answer", got, caller.dialect.sendResponse({ message: event.message }));
    },
  },
  {
    name: "the agent responds with a stream of one message",
    async play(play) {
      const contextId = "context-2";
      const request = { message: user("answer", { contextId }) };
      const got = await stream(play, request);
      seeEvents(
        play,
        got,
        eventsSeen(scenes.answer({ taskId: "", contextId, message: request.message })),
      );
    },
  },
  {
    name: "data contains null",
    async play(play) {
      const data = { none: null, list: [null] };
      const request = {
        message: user("answer", { contextId: "c", parts: [{ text: "answer" }, { data }] }),
      };
      const got = await send(play, request);
      const [event] = eventsSeen(
        scenes.answer({ taskId: "", contextId: "c", message: request.message }),
      );
      if (event?.message === undefined) throw new Error("The scene is a message");
      play.see("the answer", got, play.caller.dialect.sendResponse({ message: event.message }));
      const asked = at(play.host.asked.at(-1), "request", "message", "parts", 1, "data");
      if (refusedAs(got) === got) play.see("the data that the server is asked about", asked, data);
    },
  },
  sending("work", { parts: [{ text: "work" }, ...parts], metadata, extensions: [extension] }),
  sending("ask"),
  sending("auth"),
  sending("fail"),
  sending("reject"),
  streaming("work", { parts: [{ text: "work" }, ...parts], metadata }),
  streaming("ask"),
  streaming("fail"),
  sending("rich", {}, isRich),
  streaming("rich", {}, isRich),
  {
    name: "a task asks for input and gets a reply",
    async play(play) {
      const stage = await start(play, "ask");
      const { taskId, contextId } = stage;
      const reply = user("resume", { taskId, contextId });
      const got = await send(play, { message: reply });
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest({ message: reply }));
      const asked = folded(scenes.ask(stage));
      const task = { ...asked, history: [...(asked.history ?? []), reply] };
      seeTask(play, "the task", got, folded([{ task }, ...scenes.resume(stage)]));
    },
  },
  {
    name: "a task asks for input and gets a streamed reply",
    async play(play) {
      const stage = await start(play, "ask");
      const { taskId, contextId } = stage;
      const reply = user("resume", { taskId, contextId });
      const got = await stream(play, { message: reply });
      const asked = folded(scenes.ask(stage));
      const task = { ...asked, history: [...(asked.history ?? []), reply] };
      const [first, ...rest] = eventsSeen(scenes.resume(stage));
      if (first === undefined) throw new Error("The scene begins with a task");
      seeEvents(play, got, [{ task: folded([{ task }, first]) }, ...rest]);
    },
  },
  {
    name: "a configuration omits whether to wait for the task",
    async play(play) {
      const message = user("ask");
      const request = {
        message,
        configuration: { acceptedOutputModes: ["text/plain", "application/json"] },
      };
      const got = await send(play, request);
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest(request));
      seeTask(play, "the task", got, folded(scenes.ask(stageOf(play, got, message))));
    },
  },
  {
    name: "a call returns before its task ends",
    async play(play) {
      const message = user("hold");
      const request = { message, configuration: { returnImmediately: true } };
      const tooLate = setTimeout(() => play.host.release(), 200);
      const got = await send(play, request);
      clearTimeout(tooLate);
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest(request));
      const { taskId } = stageOf(play, got, message);
      const task = await outcome(play.caller.call("getTask", { id: taskId, historyLength: 9 }));
      play.see(
        "whether the task has ended",
        /completed/i.test(textAt(task, "status", "state")),
        false,
      );
      play.host.release();
    },
  },
];
