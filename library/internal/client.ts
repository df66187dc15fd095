// Clients: discovery, connections, HTTP.
// Only generated code and the tools import this module.

export { listedInterfaces, openFirst, openUsable } from "../runtime/client/connect.js";
export { ClientCore, type ClientOptions } from "../runtime/client/core.js";
export { CardCache } from "../runtime/client/card-cache.js";
export { foundAt, originsFor } from "../runtime/client/card-sources.js";
export { discover, type Discovered } from "../runtime/client/discover.js";
export { mainInterfaces, openMainFirst } from "../runtime/client/main-interface.js";
export { openService } from "../runtime/client/open-service.js";
export { originOf, type Trust, trustIn } from "../runtime/client/origins.js";
export { type RetryAfterOptions, withRetryAfter } from "../runtime/client/retries.js";
export { type FindToken, withToken } from "../runtime/client/token.js";
export { wasNotSent } from "../runtime/client/unsent.js";
export { type ClientVersion, keyOf } from "../runtime/client/versions.js";
export {
  type Fetch,
  type HttpOptions,
  httpOptionsFor,
  type ReceivedResponse,
  send,
} from "../runtime/http/client.js";
