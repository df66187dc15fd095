import {
  type NodeListener,
  type NodeOptions,
  nodeListener,
} from "../runtime/http/adapters/node.js";
import type { HealthChecks } from "./observe/health.js";
import type { ProtectedResource } from "./calls/protected-resource.js";
import type { PushReceiver } from "./push/receiver-options.js";

export { publicFetch, type PublicFetchOptions } from "./public-fetch.js";

/**
 * Returns a listener for `node:http`, `node:https` and compatible frameworks that serves a webhook
 * receiver: `createServer(pushListener(receiver)).listen(8080)`. Requests for other paths go to
 * `next`, if it is set.
 */
export function pushListener(receiver: PushReceiver, options: NodeOptions = {}): NodeListener {
  return nodeListener(receiver.handler, options);
}

/**
 * Returns a listener for `node:http` and compatible frameworks that serves health checks. All other
 * requests go to `next`, such as the listener of the agent.
 */
export function healthListener(checks: HealthChecks, options: NodeOptions = {}): NodeListener {
  return nodeListener(checks.handler, options);
}

/**
 * Returns a listener for `node:http` and compatible frameworks that serves the metadata of a
 * protected resource. All other requests go to `next`, such as the listener of the agent.
 */
export function resourceListener(
  resource: ProtectedResource,
  options: NodeOptions = {},
): NodeListener {
  return nodeListener(resource.handler, options);
}
