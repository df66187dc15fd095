import { readablePage } from "../../agents/index.js";
import { button, fill, h, type Child } from "./dom.js";
import { beforeFrame } from "./frames.js";
import type { KnownTasks } from "./known-tasks.js";
import { stateText } from "../../agents/state-text.js";
import { stateClass, type Task } from "./model.js";
import { problemView } from "./problem-view.js";
import type { Session } from "./session.js";
import { brief } from "./text.js";

/** Number of tasks on a page of the list. */
const pageSize = 20;

/** Number of tasks that are displayed of one page. Agents can send more than the page size. */
const shownTasks = 100;

const headings = ["Task", "State", "Changed"];

/** Actions on a task of the list. */
export interface TaskActions {
  /** Displays a task in the chat. */
  readonly show: (id: string) => void;
  readonly showTimeline: (id: string) => void;
}

/** The list of the agent's tasks. */
export class TasksView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #known: KnownTasks;
  readonly #actions: TaskActions;
  readonly #rows = h("tbody", {});
  readonly #note = h("div", { role: "status" });
  readonly #more = button("Load more", () => void this.#load(), { hidden: true });
  readonly #table = h(
    "table",
    { hidden: true },
    h("thead", {}, h("tr", {}, ...headings.map((name) => h("th", { scope: "col" }, name)))),
    this.#rows,
  );
  #tasks: Task[] = [];
  #token = "";
  /** The latest call. Responses to earlier calls are for an earlier list. */
  #call: object | undefined;
  /** Whether the list misses a task of the chat, or belongs to another interface. */
  #isOutdated = true;

  constructor(session: Session, known: KnownTasks, actions: TaskActions) {
    this.#session = session;
    this.#known = known;
    this.#actions = actions;
    const id = h("input", {
      "aria-label": "Id of a task",
      placeholder: "Id of a task",
      spellcheck: "false",
    });
    const form = h(
      "form",
      { class: "bar", onsubmit: (event) => event.preventDefault() },
      button("List again", () => void this.#list()),
      h("span", { class: "spacer" }),
      id,
      h("button", { type: "submit" }, "Open"),
    );
    form.addEventListener("submit", () => id.value !== "" && actions.show(id.value.trim()));
    this.element = h("div", { class: "page" }, form, this.#note, this.#table, this.#more);
    session.selected.watch(() => {
      this.#reset();
      if (!this.element.hidden && session.selected.value !== undefined) this.open();
    });
    known.changed.watch((task) => {
      if (task !== undefined && !this.#tasks.some(({ id: listed }) => listed === task.id))
        this.#isOutdated = true;
      beforeFrame(this.#draw);
    });
    known.current.watch(() => beforeFrame(this.#draw));
  }

  /** Lists the tasks, unless the list is still right. */
  open(): void {
    if (this.#isOutdated) void this.#list();
  }

  #reset(): void {
    this.#call = undefined;
    this.#tasks = [];
    this.#token = "";
    this.#isOutdated = true;
    this.#tell("");
    this.#draw();
  }

  async #list(): Promise<void> {
    this.#reset();
    await this.#load();
  }

  async #load(): Promise<void> {
    const call = (this.#call = {});
    this.#isOutdated = false;
    this.#tell("Loading…");
    try {
      const request = { pageSize, ...(this.#token !== "" && { pageToken: this.#token }) };
      const page = await readablePage(({ validate }) =>
        this.#session.client(validate).listTasks(request),
      );
      if (this.#call !== call) return;
      for (const { id, status } of page.tasks) {
        const known = this.#known.find(id);
        // A stream is faster than the list.
        if (known?.source === undefined) known?.update(status);
      }
      this.#tasks.push(...page.tasks.slice(0, shownTasks));
      this.#token = page.nextPageToken;
      const problem = page.problem === undefined ? "" : `; ${brief(page.problem, 300)}`;
      const count = `${this.#tasks.length} of ${page.totalSize} tasks`;
      const isEmpty = this.#tasks.length === 0 && problem === "";
      this.#tell(isEmpty ? "The agent has no tasks for these credentials" : count + problem);
      this.#draw();
    } catch (error) {
      if (this.#call !== call) return;
      this.#isOutdated = true;
      const retry = (): void => void this.#load();
      this.#tell(problemView(this.#session.problemOf(error), retry), "note error");
    }
  }

  #tell(content: Child, kind = ""): void {
    this.#note.className = kind;
    fill(this.#note, content);
  }

  readonly #draw = (): void => {
    this.#table.hidden = this.#tasks.length === 0;
    this.#more.hidden = this.#token === "";
    fill(this.#rows, ...this.#tasks.map((task) => this.#rowOf(task)));
  };

  #rowOf({ id, status }: Task): HTMLElement {
    const known = this.#known.find(id);
    const isCurrent = id === this.#known.current.value?.id;
    const state = h(
      "span",
      { class: `state ${known?.color ?? stateClass(status.state)}` },
      brief(known?.text ?? stateText(status.state), 24),
    );
    const { show, showTimeline } = this.#actions;
    const open = button(brief(id, 40), () => show(id), { class: "link" });
    const timeline = button("Timeline", () => showTimeline(id), {
      class: "quiet",
      "aria-label": `Timeline of task ${brief(id, 40)}`,
    });
    const times = brief((status.timestamp ?? "").replace("T", " ").replace(/\.\d+/, ""), 30);
    return h(
      "tr",
      { "aria-current": isCurrent && "true" },
      h("td", {}, open, " ", isCurrent && h("span", { class: "tag" }, "in the chat")),
      h("td", {}, state, " ", timeline),
      h("td", {}, ...times.split(" ").flatMap((time) => [h("span", {}, time), " "])),
    );
  }
}
