import { bytesOf } from "../memory/ended-tasks.js";
import type { WebhookLease } from "../store.js";
import type { QueueJob } from "./fair-queue.js";
import { siteOf } from "./sites.js";

/** Delivery of the events of one lease. */
export class PushJob implements QueueJob {
  readonly lease: WebhookLease;
  readonly owner: string;
  readonly host: string;
  readonly site: string;
  /**
   * No post begins after this time, so that enough time is left to post the event and to record the
   * outcome.
   */
  readonly until: number;
  #bytes: number | undefined;

  constructor(lease: WebhookLease, until: number) {
    const { scope, webhook } = lease;
    const { url } = webhook.config;
    const { host, hostname } = URL.canParse(url) ? new URL(url) : { host: url, hostname: url };
    this.lease = lease;
    // Omit the tenant. Callers choose their tenant, so a share for each tenant would not limit a
    // caller.
    this.owner = scope.owner;
    this.host = host;
    this.site = siteOf(hostname);
    this.until = until;
  }

  /**
   * Estimated size of the events. It is computed on demand, because only waiting jobs require it.
   */
  get bytes(): number {
    this.#bytes ??= bytesOf(this.lease.events);
    return this.#bytes;
  }

  isOver(): boolean {
    return performance.now() > this.until;
  }
}
