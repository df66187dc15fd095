export { applyEvent } from "../fold.js";
export { isInterrupted, isTerminal } from "../states.js";
export { checkCapabilities } from "./capabilities.js";
export { followTask, type Following } from "./follow.js";
export type { Followed, FollowedMessage } from "./follower.js";
export type { FollowOptions, FollowStart, TaskClient } from "./options.js";
export type { FollowedTask } from "./view.js";
