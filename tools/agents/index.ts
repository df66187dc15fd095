/**
 * The core of the inspector: it reads and checks cards, calls agents of every version, and records
 * the exchanges. It runs in Node and in browsers.
 */
export { readablePage, type ReadablePage } from "./task-page.js";
export {
  cardUrls,
  readCard,
  reportOf,
  type CardReport,
  type ListedInterface,
  type ReadCardOptions,
} from "./card.js";
export {
  A2AClient,
  cardPaths,
  interfacesOf,
  isSupported,
  modelVersionOf,
  openClient,
  versions,
  type AgentInterface,
  type ClientSettings,
  type Fetch,
  type Interceptor,
  type TransportFactory,
} from "./clients.js";
export { isLocal, isLoopback } from "./addresses.js";
export { cardHint, connectionAdvice, pathAdvice, type Advice, type NamedAgent } from "./advice.js";
export { connectionCause, type ConnectionCause } from "./connection-cause.js";
export {
  isSecret,
  redacted,
  redactedBody,
  shellWord,
  toCurl,
  toJson,
  type ExportOptions,
} from "./curl.js";
export type { Finding, Severity } from "./findings.js";
export { lintCard } from "./lint.js";
export { probeInterfaces, type ProbeResult } from "./probe.js";
export {
  maxEvents,
  maxLength,
  recorded,
  type Exchange,
  type OmittedEvents,
  type RecordedEvent,
  type RecordedRequest,
  type RecordedResponse,
  type Recorder,
  type RecordOptions,
} from "./record.js";
export {
  signatureStatus,
  type PublicKey,
  type SignatureStatus,
  type TrustedKeys,
} from "./signatures.js";
export { isInterrupted, isTerminal } from "../../generated/1.0/kit/client/index.js";
export type * from "../../generated/1.0/models.js";
export { A2AError, TransportError } from "a2a-codegen-runtime/internal/core";
