import type { Fetch } from "../../runtime/http/client.js";
import type { RetryOptions } from "./retry.js";
import type { PushTransport } from "./push-transport.js";
import type { WebhookRules } from "./webhook-url.js";

/** Options for posting to webhooks. Times are in milliseconds. */
export interface PushOptions extends WebhookRules, RetryOptions {
  /** Maximum number of webhooks of a task; 10 by default. */
  readonly maxWebhooks?: number;
  /** Time-out for the response of a webhook; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent posts; 100 by default. */
  readonly maxParallel?: number;
  /**
   * Maximum number of concurrent posts to one host; 6 by default. All hosts of a domain together
   * may have twice as many.
   */
  readonly maxParallelPerHost?: number;
  /** Maximum number of concurrent name look-ups; 16 by default. */
  readonly maxLookups?: number;
  /** Maximum time that `close` waits for running posts; 5 seconds by default. */
  readonly closeWithinMs?: number;
  /**
   * Replaces the platform's transport. With this option, the addresses that names resolve to are
   * not checked.
   */
  readonly fetch?: Fetch;
  /**
   * Replaces the platform's transport and `fetch`. This transport must itself check the addresses
   * that names resolve to.
   */
  readonly transport?: PushTransport;
}
