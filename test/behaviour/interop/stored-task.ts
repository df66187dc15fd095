import { UpdateLog } from "../../../examples/shared/update-log.js";
import { asJson, at, isObject, textAt, type Json } from "./json.js";

/** Tells whether a task in this state, of any version, is over. */
export function isTerminal(state: unknown): boolean {
  return /(completed|failed|canceled|rejected)$/i.test(String(state));
}

/**
 * Returns whether a stream of messages ends with this event because the task has ended or paused.
 */
export function isLastEvent(event: Json): boolean {
  const state = at(event, "statusUpdate", "status", "state") ?? at(event, "status", "state");
  return isTerminal(state) || /(input|auth).required$/i.test(String(state));
}

/** A task that a generated server keeps, in the JSON of its version. */
export class StoredTask {
  readonly id: string;
  readonly contextId: string;
  readonly configs = new Map<string, Json>();
  readonly #log = new UpdateLog<Json>();
  #task: Json;

  constructor(id: string, contextId: string) {
    this.id = id;
    this.contextId = contextId;
    this.#task = { id, contextId };
  }

  get state(): unknown {
    return at(this.#task, "status", "state");
  }

  /** The task with as much of its history as is asked for. */
  shown(historyLength?: unknown): Json {
    const { history, ...rest } = asJson(this.#task) as Json;
    if (historyLength === 0 || !Array.isArray(history)) return rest;
    return {
      ...rest,
      history: typeof historyLength === "number" ? history.slice(-historyLength) : history,
    };
  }

  /** Gives all updates from now on, to the last. */
  updates(isLast: (event: Json) => boolean, signal: AbortSignal): AsyncIterable<Json> {
    return this.#log.stream(isLast, signal);
  }

  /** Adds a message to the history. */
  remember(message: unknown): void {
    this.#task = { ...this.#task, history: [...listAt(this.#task, "history"), message] };
  }

  /** Stores an event and notifies all listeners. */
  apply(event: Json): void {
    const json = asJson(event) as Json;
    const { statusUpdate, artifactUpdate } = json;
    const kind = json["kind"];
    if (isObject(statusUpdate) || kind === "status-update")
      this.#setStatus(isObject(statusUpdate) ? statusUpdate : json);
    else if (isObject(artifactUpdate) || kind === "artifact-update")
      this.#add(isObject(artifactUpdate) ? artifactUpdate : json);
    else this.#begin(isObject(json["task"]) ? json["task"] : json);
    this.#log.publish(json);
  }

  #begin(task: Json): void {
    const entries = Object.entries(task).filter(
      ([, value]) => !Array.isArray(value) || value.length > 0,
    );
    this.#task = { ...this.#task, ...Object.fromEntries(entries) };
  }

  #setStatus({ status }: Json): void {
    this.#task = { ...this.#task, status };
    const message = at(status, "message");
    if (message !== undefined) this.remember(message);
  }

  #add({ artifact, append }: Json): void {
    const artifacts = listAt(this.#task, "artifacts");
    const id = textAt(artifact, "artifactId");
    const index = artifacts.findIndex((one) => at(one, "artifactId") === id);
    const earlier = artifacts[index];
    const parts = [...listAt(earlier, "parts"), ...listAt(artifact, "parts")];
    const whole = append === true && isObject(earlier) ? { ...earlier, parts } : artifact;
    this.#task = {
      ...this.#task,
      artifacts: earlier === undefined ? [...artifacts, whole] : artifacts.with(index, whole),
    };
  }

  /** Keeps a push configuration, in the shape of its version. */
  register(config: Json): Json {
    const inner = isObject(config["pushNotificationConfig"])
      ? config["pushNotificationConfig"]
      : config;
    this.configs.set(textAt(inner, "id"), config);
    return config;
  }
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const found = at(value, name);
  return Array.isArray(found) ? found : [];
}
