import { isDeepStrictEqual } from "node:util";
import type { TaskPushNotificationConfig } from "../../../generated/1.0/index.js";
import { extendedCard, extension } from "./card.js";
import { at, plain } from "./json.js";
import {
  user,
  seeAsked,
  start,
  isNew,
  isTranslated,
  refusedAs,
  type Scenario,
} from "./scenario.js";
import { everything, outcome } from "./peers.js";

/** Cards, refusals, extensions and push configurations. */
export const otherScenarios: readonly Scenario[] = [
  {
    name: "a client finds the card",
    where: (play) => !isTranslated(play),
    async play({ caller, host, see }) {
      see("the card", caller.card, caller.dialect.card(host.card));
    },
  },
  {
    name: "the server refuses invalid calls",
    async play(play) {
      const { caller, host, see } = play;
      const { call, dialect } = caller;
      const seeRefused = (what: string, result: unknown, refused: string, text: string) => {
        see(what, refusedAs(result), refused);
        if (caller.keepsTexts && host.ownTexts !== true)
          see(`the text about ${what}`, at(result, "text"), text);
      };
      const id = "nowhere ü1?2#3%4";
      const text = `Task not found: ${id}`;
      seeRefused(
        "getting an unknown task",
        await outcome(call("getTask", { id })),
        "TaskNotFoundError",
        text,
      );
      seeRefused(
        "canceling an unknown task",
        await outcome(call("cancelTask", { id })),
        "TaskNotFoundError",
        text,
      );
      const [unknown] = await everything(caller.stream("subscribeToTask", { id }));
      seeRefused("subscribing to an unknown task", unknown, "TaskNotFoundError", text);
      const lost = dialect.sendRequest({ message: user("resume", { taskId: id }) });
      seeRefused(
        "a message to an unknown task",
        await outcome(call("sendMessage", lost)),
        "TaskNotFoundError",
        text,
      );
      const [streamed] = await everything(caller.stream("sendStreamingMessage", lost));
      seeRefused("a stream with an unknown task", streamed, "TaskNotFoundError", text);

      const { taskId } = await start(play, "fail");
      const canceling = await outcome(call("cancelTask", { id: taskId }));
      seeRefused(
        "canceling what has ended",
        canceling,
        "TaskNotCancelableError",
        `Task not cancelable: ${taskId}`,
      );
      // The following cases have no error of their own before 1.0.
      if (!isNew(play)) return;
      const late = dialect.sendRequest({ message: user("resume", { taskId }) });
      const sent = await outcome(call("sendMessage", late));
      see("a message to what has ended", refusedAs(sent), "UnsupportedOperationError");
      const [ended] = await everything(caller.stream("subscribeToTask", { id: taskId }));
      see("subscribing to what has ended", refusedAs(ended), "UnsupportedOperationError");
    },
  },
  {
    name: "the server stores push configurations",
    async play(play) {
      const { caller, host, see } = play;
      const { taskId } = await start(play, "ask");
      const configs = ["config-1", "config 2 ü?&="].map((id): TaskPushNotificationConfig => ({
        taskId,
        id,
        url: "https://example.org/hook?x=1",
        token: "t-1",
        authentication: { scheme: "Bearer", credentials: "s3cret" },
      }));
      for (const config of configs) {
        const got = await outcome(
          caller.call("createTaskPushNotificationConfig", caller.dialect.config(config)),
        );
        see("what the server is asked to make", host.asked.at(-1), {
          method: "createTaskPushNotificationConfig",
          request: host.dialect.config(config),
          extensions: [],
        });
        see("what was made", got, caller.dialect.config(config));
      }
      const [first, second] = configs as [TaskPushNotificationConfig, TaskPushNotificationConfig];
      const key = { taskId, id: second.id ?? "" };
      const got = await outcome(
        caller.call("getTaskPushNotificationConfig", caller.dialect.configRequest(key)),
      );
      seeAsked(play, "getTaskPushNotificationConfig", host.dialect.configRequest(key));
      see("what is read", got, caller.dialect.config(second));
      const list = caller.dialect.listConfigsRequest(taskId);
      const all = await outcome(caller.call("listTaskPushNotificationConfigs", list));
      seeAsked(play, "listTaskPushNotificationConfigs", host.dialect.listConfigsRequest(taskId));
      // Nothing says which order they come in.
      const orders = [configs, [second, first]].map((some) => caller.dialect.configs(some));
      see(
        "the list",
        all,
        orders.find((order) => isDeepStrictEqual(plain(all), plain(order))) ?? orders[0],
      );
      const gone = await outcome(
        caller.call("deleteTaskPushNotificationConfig", caller.dialect.configRequest(key)),
      );
      seeAsked(play, "deleteTaskPushNotificationConfig", host.dialect.configRequest(key));
      see("the result is empty", nothing(gone), undefined);
      const left = await outcome(caller.call("listTaskPushNotificationConfigs", list));
      see("the list after that", left, caller.dialect.configs([first]));
      const lost = await outcome(
        caller.call("getTaskPushNotificationConfig", caller.dialect.configRequest(key)),
      );
      // Which error that is has been said since 1.0.
      if (isNew(play)) see("reading what is gone", refusedAs(lost), "TaskNotFoundError");
      else see("reading what is gone", typeof refusedAs(lost), "string");
      const nowhere = { ...first, taskId: "nowhere" };
      const refused = await outcome(
        caller.call("createTaskPushNotificationConfig", caller.dialect.config(nowhere)),
      );
      see("an unknown task", refusedAs(refused), "TaskNotFoundError");
    },
  },
  {
    name: "a client reads the extended card",
    async play(play) {
      const { caller, host, see, leave } = play;
      const got = await outcome(caller.call("getExtendedAgentCard", {}));
      seeAsked(play, "getExtendedAgentCard", {});
      const { skills } = extendedCard(host.card);
      see("the skills of the card", at(got, "skills"), skills);
      if (isTranslated(play)) leave("the card");
      else see("the card", got, caller.dialect.card(extendedCard(host.card)));
    },
  },
  {
    name: "an agent activates an extension",
    async play(play) {
      const { caller, host, see } = play;
      const extensions = [extension, "https://example.org/ext/unknown"];
      const request = { message: user("answer", { contextId: "c" }) };
      await caller.call("sendMessage", caller.dialect.sendRequest(request), { extensions });
      seeAsked(play, "sendMessage", host.dialect.sendRequest(request), extensions);
      const name = isNew(play) ? "a2a-extensions" : "x-a2a-extensions";
      see("the extensions in use", caller.headers()?.get(name), caller.headers() && extension);
    },
  },
];

/**
 * The result of a method without a result: some clients return `undefined`, other clients an empty
 * object.
 */
function nothing(result: unknown): unknown {
  return result === null || (typeof result === "object" && Object.keys(result).length === 0)
    ? undefined
    : result;
}
