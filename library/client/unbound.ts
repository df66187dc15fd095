/**
 * The exports of the kit for clients. `followTask`, `remoteAgent`, `verifyCard` and the interceptors except for
 * `withRetryAfter` require facts about a version: an output exports functions of the same names
 * that pass its facts.
 */
export type { ClientFunctions } from "./functions.js";
export { applyEvent } from "../kit/log/fold.js";
export { keySet, type KeySetOptions } from "../kit/signatures/key-set.js";
export {
  CardSignatureError,
  type FindKey,
  type VerifiedCardsOptions,
  verifyCard,
  withVerifiedCards,
} from "../kit/signatures/verify.js";
export type { JsonKey, Key, SignatureHeader } from "../kit/signatures/jws.js";
export { isInterrupted, isTerminal } from "../kit/states.js";
export { type AuthRequest, authRequestOf } from "./auth-request.js";
export { withCapabilityCheck } from "./capabilities.js";
export {
  type CredentialsOptions,
  type FindCredentials,
  type CredentialRequest,
  withCredentials,
} from "./credentials.js";
export {
  type ClientExtension,
  type AnyExtension,
  extension,
  type Extension,
  type ExtensionCall,
  type ExtensionDeclaration,
  type ExtensionMessage,
  type ExtensionOptions,
  type InputOf,
  type SentMessage,
} from "../kit/extensions/extension.js";
export { type ExtensionsOptions, withExtensions } from "../kit/extensions/client.js";
export type { ExtensionField } from "../kit/extensions/field.js";
export type { MetadataHolder, PartsHolder } from "../kit/extensions/holder.js";
export type { ExtensionSchema, StandardSchema } from "../kit/extensions/schema.js";
export { followTask } from "./follow-task.js";
export type { Followed, FollowedMessage, Following } from "./follow-types.js";
export type { FollowOptions, FollowStart, TaskClient } from "./options.js";
export type { SendMessageResponse as FollowResult } from "../kit/model.js";
export type {
  Answer,
  ArtifactHead,
  AskOptions,
  Outcome,
  AnswerUpdate,
  RemoteClient,
} from "./answer.js";
export { type RemoteAgent, remoteAgent, type RemoteFacts } from "./remote-agent.js";
export { withRetryAfter, type RetryAfterOptions } from "../runtime/client/retries.js";
export type { FollowedTask } from "./view.js";
