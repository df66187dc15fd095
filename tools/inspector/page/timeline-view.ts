import type { HookRequest } from "./command.js";
import { button, copyButton, fill, h } from "./dom.js";
import { formOf } from "./event-form.js";
import { omittedText, toneOf } from "./event-text.js";
import { beforeFrame } from "./frames.js";
import type { KnownTask } from "./known-tasks.js";
import { problemView } from "./problem-view.js";
import type { Session } from "./session.js";
import type { Signal } from "./signal.js";
import { joined, periodsOf, totalsOf, type Period } from "./timeline-bar.js";
import type { Entry } from "./timeline-entries.js";
import { TimelineRow } from "./timeline-row.js";
import { Timeline, type Delivery } from "./timeline.js";
import { brief, durationText } from "./text.js";

/** Number of entries that are displayed at the beginning and at the end of a long timeline. */
const shownAtFirst = 100;

/** Number of entries that the button between them adds. */
const shownMore = 200;

/** Number of periods in the bar. */
const shownPeriods = 60;

/** Number of webhook requests, and of timelines, that are kept. */
const keptDeliveries = 1_000;
const keptTimelines = 20;

/** Time in milliseconds between two drawings of a running task. */
const interval = 250;

/** Time in milliseconds for reading events in a frame. */
const frameBudget = 8;

/** Options for a {@link TimelineView}. */
export interface TimelineOptions {
  readonly session: Session;
  /** The task of the chat. */
  readonly task: Signal<KnownTask | undefined>;
  /** The webhook request that was received last. */
  readonly delivery: Signal<HookRequest | undefined>;
}

/** The timeline of a task: a bar of its states, and a list of everything that has happened. */
export class TimelineView {
  readonly element = h("div", { class: "page timeline" });
  readonly #options: TimelineOptions;
  readonly #title = h("h2", { tabindex: -1 }, "Timeline");
  readonly #head = h("div", { class: "timeline-head" });
  readonly #bar = h("div", { class: "period-bar", role: "img" });
  readonly #totals = h("ul", { class: "totals", "aria-label": "Time in each state" });
  readonly #note = h("p", { role: "alert", hidden: true });
  readonly #omitted = h("p", { class: "note", hidden: true });
  readonly #list = h("ol", { class: "entries", "aria-label": "Entries of the timeline" });
  readonly #empty = h("p", { class: "empty" });
  readonly #more = h("li", { class: "more" });
  readonly #rows = new WeakMap<Entry, TimelineRow>();
  readonly #timelines = new Map<string, Timeline>();
  readonly #deliveries: Delivery[] = [];
  /** Timelines without a recorded call, whose task the page has asked the agent for. */
  readonly #asked = new WeakSet<Timeline>();
  #shown: Timeline | undefined;
  #shownAtFirst = shownAtFirst;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  #url = "";

  constructor(options: TimelineOptions) {
    this.#options = options;
    const { session, delivery } = options;
    this.element.append(this.#title, this.#head, this.#bar, this.#totals);
    this.element.append(this.#note, this.#omitted, this.#empty, this.#list);
    session.changed.watch(() => this.#plan());
    delivery.watch((received) => {
      if (received !== undefined)
        this.#deliveries.push({ at: received.at, form: formOf(received.body) });
      if (this.#deliveries.length > keptDeliveries) this.#deliveries.shift();
      this.#plan();
    });
    session.report.watch(() => {
      // A different agent has other tasks.
      if (session.url !== this.#url) this.#reset();
      this.#url = session.url;
    });
  }

  /** Displays the timeline of a task, by default of the task of the chat. */
  open(id = this.#options.task.value?.id ?? this.#shown?.taskId): void {
    if (id !== this.#shown?.taskId) {
      this.#shownAtFirst = shownAtFirst;
      this.#tell(undefined);
    }
    this.#shown = id === undefined ? undefined : this.#at(id);
    this.#update();
  }

  /** Moves the focus to the beginning of the timeline. */
  focus(): void {
    this.#title.focus();
  }

  #reset(): void {
    this.#timelines.clear();
    this.#shown = undefined;
    this.#draw();
  }

  #at(id: string): Timeline {
    const known = this.#timelines.get(id) ?? new Timeline(id);
    this.#timelines.delete(id);
    this.#timelines.set(id, known);
    const [oldest = ""] = this.#timelines.keys();
    if (this.#timelines.size > keptTimelines) this.#timelines.delete(oldest);
    return known;
  }

  /** Asks the agent for the task. The call is recorded, and the timeline reads it. */
  async #ask(): Promise<void> {
    const timeline = this.#shown;
    if (timeline === undefined) return;
    this.#asked.add(timeline);
    this.#tell(undefined);
    try {
      await this.#options.session.client().getTask({ id: timeline.taskId });
    } catch (error) {
      if (this.#shown !== timeline) return;
      this.#tell(problemView(this.#options.session.problemOf(error), () => void this.#ask()));
    }
  }

  #tell(problem: HTMLElement | undefined): void {
    this.#note.hidden = problem === undefined;
    this.#note.className = problem === undefined ? "" : "note error";
    fill(this.#note, problem);
  }

  /** Draws soon, unless the timeline is hidden. */
  #plan(): void {
    if (this.element.hidden || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#update();
    }, interval);
  }

  readonly #update = (): void => {
    if (this.element.hidden) return;
    if (this.#read()) {
      const isUnknown = this.#shown?.entries.length === 0 && !this.#asked.has(this.#shown);
      if (isUnknown) void this.#ask();
      this.#draw();
      return;
    }
    // The rest follows in the next frames, and is drawn at the end or from time to time.
    beforeFrame(this.#update);
    if (performance.now() - this.#drawnAt > interval) beforeFrame(this.#draw);
  };

  #read(): boolean {
    const started = performance.now();
    const sources = { exchanges: this.#options.session.exchanges, deliveries: this.#deliveries };
    const isDue = (): boolean => performance.now() - started > frameBudget;
    return this.#shown?.read(sources, isDue) ?? true;
  }

  readonly #draw = (): void => {
    this.#drawnAt = performance.now();
    const timeline = this.#shown;
    const { entries = [], state = "" } = timeline ?? {};
    const now = Date.now();
    const periods = periodsOf(entries, now);
    this.#drawHead(timeline, state);
    this.#drawPeriods([...periods.values()]);
    const isEmpty = entries.length === 0;
    this.#empty.hidden = !isEmpty;
    this.#list.hidden = isEmpty;
    this.#empty.textContent =
      timeline === undefined
        ? "Send a message, or select a task in Tasks. Its timeline appears here"
        : "The page has not received anything about this task yet";
    if (timeline !== undefined) this.#drawOmitted(timeline);
    this.#drawEntries(entries, periods, now);
    // The durations of a running task change without events.
    if ([...periods.values()].at(-1)?.isOpen === true) this.#plan();
  };

  #drawHead(timeline: Timeline | undefined, state: string): void {
    this.#head.hidden = timeline === undefined;
    if (timeline === undefined || this.#head.dataset["shown"] === `${timeline.taskId} ${state}`)
      return;
    this.#head.dataset["shown"] = `${timeline.taskId} ${state}`;
    const { taskId } = timeline;
    fill(
      this.#head,
      state !== "" && h("span", { class: `state ${toneOf(state)}` }, brief(state, 60)),
      h("code", { title: brief(taskId, 500) }, brief(taskId, 40)),
      h(
        "span",
        { class: "actions" },
        copyButton("Copy id", () => taskId),
        button("Read again", () => void this.#ask(), {
          class: "quiet",
          title: "Asks the agent for the current state of the task",
        }),
      ),
    );
  }

  #drawPeriods(periods: readonly Period[]): void {
    this.#bar.hidden = this.#totals.hidden = periods.length === 0;
    const totals = totalsOf(periods);
    this.#bar.setAttribute("aria-label", `States: ${totals.map(periodText).join(", ")}`);
    fill(this.#bar, ...joined(periods, shownPeriods).map(periodView));
    const items = totals.map((total) => h("li", { "data-tone": total.tone }, periodText(total)));
    fill(this.#totals, ...items);
  }

  #drawOmitted({ omitted, deleted }: Timeline): void {
    const texts = [
      omittedText(omitted),
      deleted > 0 ? `The first ${deleted.toLocaleString("en")} entries are left out` : "",
    ].filter((text) => text !== "");
    this.#omitted.hidden = texts.length === 0;
    this.#omitted.textContent = texts.join(". ");
  }

  #drawEntries(all: readonly Entry[], periods: ReadonlyMap<Entry, Period>, now: number): void {
    const start = all[0]?.at ?? 0;
    const hidden = Math.max(0, all.length - this.#shownAtFirst - shownAtFirst);
    const head = hidden === 0 ? all : all.slice(0, this.#shownAtFirst);
    const tail = hidden === 0 ? [] : all.slice(-shownAtFirst);
    const rowOf = (entry: Entry): HTMLElement => {
      const row = this.#rows.get(entry) ?? new TimelineRow();
      this.#rows.set(entry, row);
      row.draw(entry, { start, now, period: periods.get(entry) });
      return row.element;
    };
    if (hidden > 0) this.#drawMore(hidden);
    const wanted = [...head.map(rowOf), ...(hidden > 0 ? [this.#more] : []), ...tail.map(rowOf)];
    let current = this.#list.firstElementChild;
    for (const element of wanted) {
      if (current === element) current = current.nextElementSibling;
      else this.#list.insertBefore(element, current);
    }
    while (current !== null) {
      const next = current.nextElementSibling;
      current.remove();
      current = next;
    }
  }

  #drawMore(hidden: number): void {
    const label = `Show more (${hidden.toLocaleString("en")} more entries)`;
    if (this.#more.textContent === label) return;
    const show = (): void => {
      this.#shownAtFirst += shownMore;
      this.#draw();
    };
    fill(this.#more, button(label, show, { class: "quiet" }));
  }
}

function periodText({ state, ms }: Period): string {
  return ms === undefined ? brief(state, 60) : `${brief(state, 60)} ${durationText(ms)}`;
}

function periodView(period: Period): HTMLElement {
  const kind = period.ms === undefined ? "end" : period.isOpen ? "open" : "";
  const element = h(
    "span",
    { class: "period", "data-tone": period.tone, "data-kind": kind, title: periodText(period) },
    h("span", {}, brief(period.state, 60)),
  );
  element.style.flexGrow = String(Math.max(1, period.ms ?? 0));
  return element;
}
