// Agents over HTTP.
// Only generated code and the tools import this module.

export { fetchHandler, type FetchHandler } from "../runtime/http/adapters/fetch.js";
export { mounted } from "../runtime/http/mount.js";
export {
  chain,
  type HttpHandler,
  type HttpPart,
  type HttpResponse,
} from "../runtime/http/server.js";
export type { ServedVersion } from "../runtime/server/adapter.js";
export { Agent } from "../runtime/server/agent.js";
export {
  type CallHandler,
  callHandler,
  type CallReply,
  type ReceivedCall,
} from "../runtime/server/calls.js";
export { cardHandler, type CardOptions } from "../runtime/server/card.js";
export type { CallContext, Caller, CardCaller, ServerCall } from "../runtime/server/context.js";
export { Core } from "../runtime/server/core.js";
export { type CorsOptions, withCors } from "../runtime/server/cors.js";
export type { ServerExtension } from "../runtime/server/extension.js";
export type { CoreOptions } from "../runtime/server/hooks.js";
export type { ServiceFactory, ServiceHost } from "../runtime/server/host.js";
export { observed, type Outcome, type RequestReport } from "../runtime/server/observer.js";
export type { ForwardedAddress, Rate, RateLimiter, RateOptions } from "../runtime/server/rates.js";
export {
  ServedService,
  type ServiceOptions,
  serveService,
} from "../runtime/server/served-service.js";
export { coresOf, serviceHandler, type Services } from "../runtime/server/service-handlers.js";
export { type ContextKey, type ContextValues, createContextKey } from "../runtime/server/values.js";
