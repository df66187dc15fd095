import { maxEvents, maxLength, type OmittedEvents } from "../../agents/index.js";
import { formOf, type EventForm, type MessageForm, type StatusForm } from "./event-form.js";
import { stateClass } from "./model.js";
import { brief, countText, sizeText } from "./labels.js";

/** A sentence about an event. */
export interface Sentence {
  /** The kind of the event and its subject: `status WORKING`. */
  readonly label: string;
  /** Its content, with the punctuation before it: `: Searching the web`. */
  readonly text: string;
  /** The class of the label, which gives it its color. */
  readonly tone: string;
}

/** Names of artifacts by their ids. Only the first chunk of an artifact has its name. */
export type ArtifactNames = ReadonlyMap<string, string>;

/** Returns a sentence about an event; events of unknown forms stay JSON. */
export function sentenceOf(data: string, names?: ArtifactNames): Sentence {
  const form = formOf(data);
  return form === undefined ? jsonSentence(data) : sentenceOfForm(form, names);
}

/** Returns a sentence about the content of an event. */
export function sentenceOfForm(form: EventForm, names?: ArtifactNames): Sentence {
  if (form.kind === "status") return statusSentence(form.status);
  if (form.kind === "artifact") return artifactSentence(form, names);
  if (form.kind === "task") return taskSentence(form);
  if (form.kind === "message") return messageSentence(form.message);
  const code = form.code === "" ? "" : ` ${form.code}`;
  return { label: brief(`error${code}`, 40), text: content(form.text), tone: "bad" };
}

function jsonSentence(data: string): Sentence {
  // The envelope of JSON-RPC is the same in each event.
  const text = data.slice(0, 800).replace(/^\{"\w+":"2\.0",(?:"id":[^,]*,)?"result":/, "");
  return { label: "", text: brief(text, 160), tone: "" };
}

function statusSentence({ state, message }: StatusForm): Sentence {
  const label = `status ${state.toUpperCase()}`;
  return { label: brief(label, 40), text: content(message?.text ?? ""), tone: toneOf(state) };
}

function artifactSentence(
  {
    artifact: { id, name, bytes, text },
    isAppended,
    isLast,
  }: Extract<EventForm, { readonly kind: "artifact" }>,
  names: ArtifactNames | undefined,
): Sentence {
  const size = `${isAppended ? "+" : ""}${sizeText(bytes)}`;
  return {
    label: `artifact ${brief(name || (names?.get(id) ?? id), 60)}`,
    text: ` ${size}${isLast ? ", last chunk" : ""}${content(text)}`,
    tone: "artifact-tone",
  };
}

function taskSentence({
  taskId,
  status: { state, message },
  artifacts,
  history,
}: Extract<EventForm, { readonly kind: "task" }>): Sentence {
  const counts = [
    artifacts.length > 0 && countText(artifacts.length, "artifact"),
    history.length > 0 && countText(history.length, "message"),
  ].filter((each) => each !== false);
  const text = [` ${brief(state, 40)}`, ...counts].join(", ") + content(message?.text ?? "");
  return { label: `task ${brief(taskId, 14)}`, text, tone: toneOf(state) };
}

function messageSentence({ isUser, text }: MessageForm): Sentence {
  return { label: `message from the ${isUser ? "user" : "agent"}`, text: content(text), tone: "" };
}

function content(text: string): string {
  const line = brief(text, 160).trim();
  return line === "" ? "" : `: ${line}`;
}

/** Returns the class of a state in words. */
export function toneOf(state: string): string {
  return stateClass(`TASK_STATE_${state.toUpperCase().replaceAll(" ", "_")}`);
}

/** Returns which events of a call are left out, and why; an empty string if all are kept. */
export function omittedText({ earlier, tooLong }: OmittedEvents): string {
  const limit = sizeText(maxLength);
  const texts = [
    earlier > 0 &&
      `${countText(earlier, "earlier event")} left out: the page keeps at most ` +
        `${countText(maxEvents, "event")} and ${limit} of each call`,
    tooLong > 0 && `${countText(tooLong, "event")} left out: longer than ${limit}`,
  ];
  return texts.filter((text) => text !== false).join(". ");
}
