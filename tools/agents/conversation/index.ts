/** Saved conversations: recording, files, replays, comparisons, and tests. */
export { compareConversations, type CompareOptions, type Difference } from "./compare.js";
export {
  ConversationError,
  type Conversation,
  type ConversationAgent,
  type ConversationFailure,
  type ConversationTurn,
} from "./conversation.js";
export { readConversation, writeConversation } from "./file.js";
export { ConversationLog } from "./log.js";
export { replay, type ReplayOptions } from "./replay.js";
export { agentTest, callerTest } from "./test-file.js";
