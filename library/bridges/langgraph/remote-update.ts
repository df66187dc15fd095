import { isObject } from "../../runtime/base/json.js";
import type { AnswerUpdate } from "../../client/answer.js";

/** Value that a node with a remote agent writes to the `custom` stream of its graph. */
export interface RemoteUpdate {
  readonly type: "a2a";
  /** A chunk of the answer. */
  readonly update?: AnswerUpdate;
  /** Whether the chunks before contain all text of the message. */
  readonly isWhole?: true;
  /** Id of the message to which the node adds the answer. */
  readonly id: string;
  readonly namespace: string;
}

/** Returns whether a node with a remote agent has written a value. */
export function isRemoteUpdate(value: unknown): value is RemoteUpdate {
  return isObject(value) && value["type"] === "a2a" && typeof value["id"] === "string";
}
