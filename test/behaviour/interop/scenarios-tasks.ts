import { TaskState } from "../../../generated/1.0/index.js";
import { at, textAt } from "./json.js";
import { outcome } from "./peers.js";
import {
  user,
  stageOf,
  eventsSeen,
  followed,
  seeAsked,
  send,
  start,
  startHeld,
  isNew,
  seeTask,
  seeEvents,
  type Scenario,
} from "./scenario.js";
import { canceled, folded, scenes } from "./scenes.js";

/** Scenarios about tasks. */
export const taskScenarios: readonly Scenario[] = [
  {
    name: "the history is limited when a task is read",
    async play(play) {
      const { caller, see } = play;
      const stage = await start(play, "remember");
      const { history = [], ...task } = folded(scenes.remember(stage));
      // Before 1.0, servers may choose the meaning of an absent limit and of 0.
      for (const historyLength of isNew(play) ? [100, 3, 1, 0] : [100, 3, 1]) {
        const request = { id: stage.taskId, historyLength };
        const got = await outcome(caller.call("getTask", request));
        seeAsked(play, "getTask", request);
        const shown = historyLength === 0 ? [] : history.slice(-historyLength);
        see(
          `the task with ${historyLength} messages`,
          got,
          caller.dialect.task({ ...task, history: shown }),
        );
      }
      const all = await outcome(caller.call("getTask", { id: stage.taskId }));
      if (!isNew(play)) return;
      see("the task with all messages", all, caller.dialect.task({ ...task, history }));
    },
  },
  {
    name: "the history is limited when a message is sent",
    async play(play) {
      const message = user("remember");
      const request = { message, configuration: { historyLength: 2, returnImmediately: false } };
      const got = await send(play, request);
      seeAsked(play, "sendMessage", play.host.dialect.sendRequest(request));
      const { history = [], ...task } = folded(scenes.remember(stageOf(play, got, message)));
      seeTask(play, "the task", got, { ...task, history: history.slice(-2) });
    },
  },
  {
    name: "a client cancels a task",
    async play(play) {
      const { caller, see } = play;
      const { stage } = await startHeld(play);
      const got = await outcome(caller.call("cancelTask", { id: stage.taskId }));
      seeAsked(play, "cancelTask", { id: stage.taskId });
      see(
        "the task",
        got,
        caller.dialect.task(folded([...eventsSeen(scenes.hold(stage)), canceled(stage)])),
      );
    },
  },
  {
    name: "a client cancels a task during a subscription",
    async play(play) {
      const { caller, see } = play;
      const message = user("hold");
      const stream = caller.stream("sendStreamingMessage", caller.dialect.sendRequest({ message }));
      const events = await followed(stream, async (seen) => {
        const { taskId } = stageOf(play, seen[0], message);
        if (seen.length === 3) await caller.call("cancelTask", { id: taskId });
      });
      const stage = stageOf(play, events[0], message);
      const expected = [...eventsSeen(scenes.hold(stage)), canceled(stage)];
      see(
        "the events",
        events,
        expected.map((event) => caller.dialect.event(event)),
      );
    },
  },
  {
    name: "a client subscribes to a task",
    async play(play) {
      const { caller, host, see } = play;
      const { stage } = await startHeld(play);
      // Some servers do not start with the task.
      const tooLate = setTimeout(() => host.release(), 500);
      const events = await followed(caller.stream("subscribeToTask", { id: stage.taskId }), () =>
        host.release(),
      );
      clearTimeout(tooLate);
      see("what the server is asked", host.asked.at(-1), {
        method: "subscribeToTask",
        request: { id: stage.taskId },
        extensions: [],
      });
      const steps = scenes.hold(stage);
      const [before, after] = [
        eventsSeen(steps),
        steps.slice(steps.indexOf("wait") + 1).filter((step) => step !== "wait"),
      ];
      seeEvents(play, events, [{ task: folded(before) }, ...after]);
    },
  },
  {
    name: "a client leaves a stream",
    async play(play) {
      const { caller, host, see } = play;
      const { stage, seen } = await startHeld(play);
      seeEvents(play, seen, eventsSeen(scenes.hold(stage)));
      const request = { id: stage.taskId, historyLength: 9 };
      const task = await outcome(caller.call("getTask", request));
      see(
        "the task, which continues",
        task,
        caller.dialect.task(folded(eventsSeen(scenes.hold(stage)))),
      );
      host.release();
    },
  },
  {
    name: "a client lists tasks",
    where: isNew,
    async play(play) {
      const { caller, host, see } = play;
      const contextId = `list ü&=?/${crypto.randomUUID()}`;
      const work = await start(play, "work", { contextId });
      const ask = await start(play, "ask", { contextId });
      const [worked, asking] = [folded(scenes.work(work)), folded(scenes.ask(ask))];
      const filter = { contextId, status: TaskState.InputRequired, includeArtifacts: false };
      const some = await outcome(caller.call("listTasks", filter));
      seeAsked(play, "listTasks", filter);
      see("those that ask", some, {
        tasks: [asking],
        nextPageToken: "",
        pageSize: 50,
        totalSize: 1,
      });
      const found: unknown[] = [];
      const historyLength = host.lateHistory === true ? 0 : 1;
      for (let pageToken = ""; found.length < 3;) {
        const page = { contextId, pageSize: 1, historyLength, includeArtifacts: true, pageToken };
        const got = await outcome(caller.call("listTasks", page));
        seeAsked(play, "listTasks", page);
        found.push(at(got, "tasks", 0));
        pageToken = at(got, "nextPageToken") === undefined ? "" : textAt(got, "nextPageToken");
        if (pageToken === "") break;
      }
      const shown = [worked, asking].map((task) => ({
        ...task,
        history: historyLength === 0 ? [] : task.history?.slice(-1),
      }));
      see("all, page by page", found.sort(byId), shown.sort(byId));
    },
  },
];

function byId(one: unknown, other: unknown): number {
  return textAt(one, "id") < textAt(other, "id") ? -1 : 1;
}
