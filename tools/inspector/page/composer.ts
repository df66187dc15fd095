import { button, field, fill, h } from "./dom.js";
import type { KnownTask } from "./known-tasks.js";
import type { Part } from "./model.js";
import type { Session } from "./session.js";
import type { Signal } from "./signal.js";
import { brief, sizeText } from "./text.js";

/**
 * Kind of call that sends a message: with a stream of events, with a response at the end of the
 * task, or with an immediate response.
 */
export type Mode = "stream" | "wait" | "background";

/** A message that the user sends. */
export interface Draft {
  readonly parts: readonly Part[];
  readonly mode: Mode;
  /** The task that the message continues. */
  readonly taskId: string | undefined;
  /** The webhook for the task. */
  readonly hookUrl: string | undefined;
}

/** Options for a {@link Composer}. */
export interface ComposerOptions {
  readonly session: Session;
  /** The task that the next message can continue. */
  readonly task: Signal<KnownTask | undefined>;
  readonly send: (draft: Draft) => void;
  readonly stop: () => void;
  readonly restart: () => void;
}

/** Maximum size of a file in bytes. */
const maxFile = 2 ** 25;

/** Maximum number of characters of an example. */
const maxExample = 20_000;

const modes: readonly (readonly [Mode, string])[] = [
  ["stream", "Stream"],
  ["wait", "Wait for the result"],
  ["background", "Return at once"],
];

/** The form in which the user writes a message. */
export class Composer {
  readonly element: HTMLFormElement;
  readonly #options: ComposerOptions;
  readonly #text = h("textarea", {
    rows: 2,
    placeholder: "Message",
    "aria-label": "Message",
    name: "message",
  });
  readonly #data = h("textarea", { rows: 4, class: "code", spellcheck: "false" });
  readonly #files = h("input", {
    type: "file",
    multiple: true,
    class: "visually-hidden",
    id: "files",
  });
  readonly #chips = h("ul", { class: "chips", "aria-label": "Attached files" });
  readonly #mode = h(
    "select",
    { "aria-label": "How to send" },
    ...modes.map(([value, label]) => h("option", { value }, label)),
  );
  readonly #hook = h("input", { type: "checkbox" });
  readonly #task = h("p", { class: "task-line", hidden: true });
  readonly #problem = h("p", { class: "note error", role: "alert", hidden: true });
  readonly #send = h("button", { type: "submit", class: "primary" }, "Send");
  readonly #stop = button("Stop", () => this.#options.stop(), {
    hidden: true,
    title: "Ends the call. The task continues",
  });
  #attached: File[] = [];
  /** Whether a message waits until its files have been read. */
  #isPending = false;
  /** Whether the next message continues the task, if the user has selected that. */
  #choice: boolean | undefined;
  #shown = "";
  #example = "";

  constructor(options: ComposerOptions) {
    this.#options = options;
    this.#files.addEventListener("change", () => this.#attach([...(this.#files.files ?? [])]));
    this.#text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.element.requestSubmit();
    });
    this.element = h("form", {
      class: "composer",
      "aria-label": "Send a message",
      onsubmit: (event) => this.#submit(event),
    });
    this.element.append(
      this.#task,
      this.#chips,
      this.#text,
      h(
        "div",
        { class: "more" },
        this.#more(),
        button("New conversation", () => this.#options.restart(), { class: "quiet" }),
      ),
      this.#problem,
      this.#bar(),
    );
    this.#acceptDrops();
    options.task.watch(() => this.#drawTask());
  }

  focus(): void {
    this.#text.focus();
  }

  /** Fills in an example of a message. Adds it to what the user has written. */
  fill(example: string): void {
    const written = this.#text.value === this.#example ? "" : this.#text.value.trimEnd();
    this.#example = example.slice(0, maxExample);
    this.#text.value = written === "" ? this.#example : `${written}\n${this.#example}`;
    this.focus();
  }

  setEnabled(enabled: boolean): void {
    this.#send.disabled = !enabled;
  }

  setRunning(isRunning: boolean): void {
    this.#stop.hidden = !isRunning;
  }

  /** The task that the next message continues. */
  get #continued(): KnownTask | undefined {
    const task = this.#options.task.value;
    const isContinued = task?.isTerminal === false && (this.#choice ?? task.isWaiting);
    return isContinued ? task : undefined;
  }

  #drawTask(): void {
    const task = this.#options.task.value;
    const shown = task === undefined ? "" : `${task.id} ${task.text}`;
    // A choice is for the state that the user has seen.
    if (shown !== this.#shown) this.#choice = undefined;
    this.#shown = shown;
    this.#task.hidden = task === undefined || task.state === "";
    if (task === undefined) return;
    const isContinued = this.#continued === task;
    const choose = (): void => {
      this.#choice = !isContinued;
      this.#drawTask();
      this.focus();
    };
    const effect = isContinued ? "Your message continues it." : "Your message starts a new task.";
    fill(
      this.#task,
      h(
        "span",
        { class: task.isWaiting && "waits" },
        "Task ",
        h("span", { class: "id" }, `${brief(task.id, 14)} `),
        doingOf(task),
      ),
      this.#choice !== undefined && h("span", {}, effect),
      !task.isTerminal &&
        button(isContinued ? "Start a new task" : "Continue it", choose, {
          class: "quiet",
          title: `Sends your message ${isContinued ? "without a task" : "to this task"}`,
        }),
    );
  }

  #bar(): HTMLElement {
    return h(
      "div",
      { class: "bar" },
      this.#files,
      h("label", { for: "files", class: "button" }, "Attach files"),
      this.#mode,
      h("span", { class: "spacer" }),
      this.#stop,
      this.#send,
    );
  }

  #more(): HTMLElement {
    const hint = "Sent as a data part after the text";
    const hook = h(
      "label",
      { class: "check" },
      this.#hook,
      " Send updates to the webhook receiver, too",
    );
    const hasHook = this.#options.session.command.config.hookUrl !== undefined;
    return h(
      "details",
      {},
      h("summary", {}, "Data and webhook"),
      field("JSON", this.#data, hint),
      hasHook && hook,
    );
  }

  #acceptDrops(): void {
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#attach([...(event.dataTransfer?.files ?? [])]);
    });
  }

  #attach(files: readonly File[]): void {
    const large = files.find(({ size }) => size > maxFile);
    this.#complain(large && `${large.name} is larger than ${maxFile / 2 ** 20} MiB`);
    this.#attached = [...this.#attached, ...files.filter(({ size }) => size <= maxFile)];
    this.#files.value = "";
    this.#drawChips();
  }

  #drawChips(): void {
    const chips = this.#attached.map((file) => {
      const remove = (): void => {
        this.#attached = this.#attached.filter((attached) => attached !== file);
        this.#drawChips();
      };
      const label = `${brief(file.name, 40)} (${sizeText(file.size)})`;
      return h(
        "li",
        {},
        label,
        button("×", remove, { class: "quiet", "aria-label": `Remove ${brief(file.name, 40)}` }),
      );
    });
    fill(this.#chips, ...chips);
  }

  #complain(problem: string | undefined): void {
    this.#problem.hidden = problem === undefined;
    this.#problem.textContent = problem ?? "";
  }

  #submit(event: Event): void {
    event.preventDefault();
    if (this.#isPending) return;
    this.#isPending = true;
    const files = this.#attached;
    void this.#parts()
      .then((parts) => {
        if (parts.length === 0 || this.#send.disabled) return;
        const { hookUrl } = this.#options.session.command.config;
        const mode = modes.find(([value]) => value === this.#mode.value)?.[0] ?? "stream";
        const taskId = this.#continued?.id;
        this.#options.send({
          parts,
          mode,
          taskId,
          hookUrl: this.#hook.checked ? hookUrl : undefined,
        });
        this.#text.value = this.#data.value = "";
        this.#attached = this.#attached.filter((file) => !files.includes(file));
        this.#drawChips();
        this.#complain(undefined);
      })
      .catch((error: unknown) =>
        this.#complain(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => (this.#isPending = false));
  }

  async #parts(): Promise<Part[]> {
    const text = this.#text.value.trim() === "" ? [] : [{ text: this.#text.value }];
    const data = this.#data.value.trim() === "" ? [] : [{ data: jsonOf(this.#data.value) }];
    return [...text, ...data, ...(await Promise.all(this.#attached.map(partOf)))];
  }
}

/** Returns the state of a task as a sentence without its subject. */
function doingOf(task: KnownTask): string {
  const text = brief(task.text, 60);
  if (task.isTerminal) return `has ended (${text})`;
  if (task.isAnswered) return "has your answer";
  if (task.state === "TASK_STATE_AUTH_REQUIRED") return "waits until you have signed in";
  return task.isWaiting ? "waits for your answer" : `is ${text}`;
}

function jsonOf(text: string): NonNullable<Part["data"]> {
  try {
    return JSON.parse(text) as NonNullable<Part["data"]>;
  } catch (error) {
    throw new Error(`The data is not JSON: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}

async function partOf(file: File): Promise<Part> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
  const mediaType = file.type === "" ? "application/octet-stream" : file.type;
  return { raw: url.slice(url.indexOf(",") + 1), filename: file.name, mediaType };
}
