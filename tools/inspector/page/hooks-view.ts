import type { HookRequest } from "./command.js";
import { button, copyButton, field, fill, h, type Child } from "./dom.js";
import { sentenceOf } from "./event-text.js";
import { jsonView } from "./json-view.js";
import { problemView } from "./problem-view.js";
import type { Session } from "./session.js";
import { Signal } from "./signal.js";
import { brief, longText } from "./text.js";

/** Number of received requests that stay on the page. */
const keptRequests = 100;

/** The webhooks of tasks, and the requests that the receiver of the command has received. */
export class HooksView {
  readonly element: HTMLElement;
  /** The request that was received last. */
  readonly latest = new Signal<HookRequest | undefined>(undefined);
  readonly #session: Session;
  readonly #received = h("ol", { class: "received", "aria-label": "Received requests" });
  readonly #empty = h("p", { class: "empty" }, "Requests from agents to the receiver appear here");
  readonly #note = h("div", { role: "status" });
  readonly #configs = h("ul", { class: "configs" });
  #current = "";
  readonly #task = h("input", { spellcheck: "false", placeholder: "Id of a task" });
  readonly #url = h("input", { type: "url", spellcheck: "false" });

  constructor(session: Session) {
    this.#session = session;
    const { hookUrl } = session.command.config;
    this.#url.value = hookUrl ?? "";
    const actions = h(
      "div",
      { class: "bar" },
      button("Add webhook", () => void this.add(this.#task.value.trim()), { class: "primary" }),
      button("List the webhooks of the task", () => void this.#list(this.#task.value.trim())),
      hookUrl !== undefined && copyButton("Copy the URL of the receiver", () => hookUrl),
    );
    const hint =
      hookUrl === undefined
        ? undefined
        : "The receiver of this inspector, unless you enter another URL";
    const form = [field("Task", this.#task), field("URL of the webhook", this.#url, hint), actions];
    this.element = h(
      "div",
      { class: "page" },
      ...form,
      this.#note,
      this.#configs,
      h("h2", {}, "Received"),
      this.#empty,
      this.#received,
    );
    session.command.followHooks((request) => this.#receive(request));
  }

  /** Fills in the id of the current task, unless the user has entered a different id. */
  setCurrent(taskId: string): void {
    if (this.#task.value === this.#current) this.#task.value = taskId;
    this.#current = taskId;
  }

  /** Adds a webhook to a task. */
  async add(taskId: string): Promise<void> {
    this.#task.value = taskId;
    await this.#attempt(async () => {
      const client = this.#session.client();
      const { id = "" } = await client.createTaskPushNotificationConfig({
        taskId,
        url: this.#url.value,
      });
      await this.#list(taskId);
      this.#tell(`The agent has added webhook ${brief(id, 60)}`);
    });
  }

  async #list(taskId: string): Promise<void> {
    await this.#attempt(async () => {
      const { configs = [] } = await this.#session
        .client()
        .listTaskPushNotificationConfigs({ taskId });
      this.#tell(configs.length === 1 ? "1 webhook" : `${configs.length} webhooks`);
      const items = configs.slice(0, 100).map(({ id = "", url }) =>
        h(
          "li",
          {},
          h("code", {}, brief(url, 200)),
          button("Delete", () => void this.#delete(taskId, id), { class: "quiet" }),
        ),
      );
      fill(this.#configs, ...items);
    });
  }

  async #delete(taskId: string, id: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#session.client().deleteTaskPushNotificationConfig({ taskId, id });
      await this.#list(taskId);
    });
  }

  async #attempt(action: () => Promise<void>): Promise<void> {
    this.#tell("Calling…");
    try {
      await action();
    } catch (error) {
      const retry = (): void => void this.#attempt(action);
      this.#tell(problemView(this.#session.problemOf(error), retry), "note error");
    }
  }

  #tell(content: Child, kind = ""): void {
    this.#note.className = kind;
    fill(this.#note, content);
  }

  #receive(request: HookRequest): void {
    const { at, headers, body, isTruncated } = request;
    this.latest.set(request);
    this.#empty.hidden = true;
    const time = new Date(at).toLocaleTimeString("en", { hour12: false });
    const names = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const { label, text } = sentenceOf(body);
    const summary = h("summary", {}, h("time", {}, time), " ", h("code", {}, label + text));
    const note =
      isTruncated && h("p", { class: "note" }, "Only the first MiB of the body was kept");
    const heads = h("pre", { tabindex: 0 }, longText(names.join("\n")));
    this.#received.prepend(h("li", {}, h("details", {}, summary, note, heads, jsonView(body))));
    if (this.#received.childElementCount > keptRequests) this.#received.lastElementChild?.remove();
  }
}
