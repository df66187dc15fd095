import { bytesOf } from "../memory/ended-tasks.js";
import type { WebhookLease } from "../store.js";
import type { QueueJob } from "./fair-queue.js";
import { siteOf } from "./sites.js";

/** The delivery of the events of a lease. */
export class PushJob implements QueueJob {
  readonly lease: WebhookLease;
  readonly owner: string;
  readonly host: string;
  readonly site: string;
  /** There has to be time left to post and to note that, so no post begins later. */
  readonly until: number;
  #bytes: number | undefined;

  constructor(lease: WebhookLease, until: number) {
    const { scope, webhook } = lease;
    const { url } = webhook.config;
    const { host, hostname } = URL.canParse(url) ? new URL(url) : { host: url, hostname: url };
    this.lease = lease;
    // Callers name their tenant, so a share for each tenant would be no share.
    this.owner = scope.owner;
    this.host = host;
    this.site = siteOf(hostname);
    this.until = until;
  }

  /** Estimated only for jobs that wait. */
  get bytes(): number {
    this.#bytes ??= bytesOf(this.lease.events);
    return this.#bytes;
  }

  isOver(): boolean {
    return performance.now() > this.until;
  }
}
