import type { Fetch } from "../../runtime/http/client.js";
import type { RetryOptions } from "./attempt.js";
import type { PushTransport } from "./push-transport.js";
import type { WebhookRules } from "./webhook-url.js";

/** How an agent posts to webhooks. Times are in milliseconds. */
export interface PushOptions extends WebhookRules, RetryOptions {
  /** How many webhooks a task has at most; 10 by default. */
  readonly maxWebhooks?: number;
  /** How long a webhook may take to answer; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** How many posts are under way at the same time; 100 by default. */
  readonly maxParallel?: number;
  /** How many of them go to the same host; 6 by default. Twice as many go to the hosts of a domain together. */
  readonly maxParallelPerHost?: number;
  /** How many names are looked up at the same time; 16 by default. */
  readonly maxLookups?: number;
  /** How long closing waits for posts that are under way; 5 seconds by default. */
  readonly closeWithinMs?: number;
  /** Posts in place of the platform. What a name leads to is not checked then. */
  readonly fetch?: Fetch;
  /** Posts in place of the platform and of `fetch`, and checks what a name leads to, if that is to be checked. */
  readonly transport?: PushTransport;
}
