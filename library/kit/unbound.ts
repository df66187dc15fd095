/**
 * The exports of the kit for authors of agents. `pushReader`, `pushReceiver`, `signCard` and
 * `taskService` require facts about a version: an output exports functions of the same names that
 * pass its facts.
 */
export type { KitFunctions } from "./functions.js";
export { all } from "./turns/all.js";
export { apiKeys } from "./calls/api-keys.js";
export {
  type Access,
  authenticateBy,
  type Authentication,
  type AuthenticationOptions,
  type CheckCredentials,
} from "./calls/authentication.js";
export { InsufficientScopeError, InvalidTokenError } from "../auth/challenges.js";
export { challengeFor, type ChallengeOptions } from "./calls/challenge.js";
export { type CheckSkill, skillAccess } from "./calls/skill-access.js";
export { type ClientCertificateOptions, clientCertificates } from "./calls/client-certificates.js";
export {
  protectedResource,
  type ProtectedResource,
  type ProtectedResourceOptions,
} from "./calls/protected-resource.js";
export {
  artifact,
  type ArtifactOptions,
  type ArtifactWriter,
  type ChunkOptions,
  type SourceOptions,
} from "./turns/artifact.js";
export type { ArtifactChunk } from "./turns/artifact-chunk.js";
export {
  type AnyExtension,
  extension,
  type Extension,
  type ExtensionCall,
  type ExtensionDeclaration,
  type ExtensionMessage,
  type ExtensionOptions,
  type InputOf,
  type SentMessage,
} from "./extensions/extension.js";
export type { ExtensionField } from "./extensions/field.js";
export type { MetadataHolder, PartsHolder } from "./extensions/holder.js";
export type { ExtensionSchema, StandardSchema } from "./extensions/schema.js";
export type { LimitOptions, Limits, OwnerLimits } from "./limits/limits.js";
export { applyEvent } from "./log/fold.js";
export type { DeletionTarget } from "./engine/deletion.js";
export type { WakeOptions, WakeTarget } from "./engine/wake.js";
export { memoryStore, type MemoryStoreOptions } from "./memory/store.js";
export type {
  OwnerSetting,
  Remember,
  Remembered,
  RememberSetting,
  TaskServiceOptions,
  TaskServiceSettings,
} from "./options.js";
export type { AuditAction, AuditEvent } from "./observe/audit.js";
export type { TaskEnd } from "./observe/task-end.js";
export { type HealthChecks, healthChecks, type HealthOptions } from "./observe/health.js";
export type { Post, Tracing } from "./observe/tracing.js";
export type { PushEvent, PushReader } from "./push/push-event.js";
export type { PushOptions } from "./push/push-options.js";
export { pushReceiver } from "./push/push-receiver.js";
export type {
  PushReceiver,
  PushReceiverOptions,
  RefusedNotification,
} from "./push/receiver-options.js";
export { pushReader } from "./push/version-reader.js";
export { WebhookError } from "./push/push-sender.js";
export {
  LookupError,
  PrivateAddressError,
  type PushRequest,
  type PushResponse,
  type PushTransport,
} from "./push/push-transport.js";
export type { NamedUser, OwnerOf } from "./calls/scope.js";
export type { JsonKey, Key } from "./signatures/jws.js";
export { signCard, type SigningOptions } from "./signatures/sign.js";
export { isInterrupted, isTerminal } from "./states.js";
export { type Scope, type Stored, type TaskStore, UnreadableTaskError } from "./store.js";
export type { RetentionOptions } from "./engine/cleanup.js";
export { taskService, type TaskService, type WorkDueOptions } from "./task-service.js";
export { json, type Json } from "./turns/json.js";
export type { Source } from "./turns/source.js";
export * from "./turns/turn.js";
export * from "./turns/updates.js";
