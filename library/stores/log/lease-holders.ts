import { ignoringErrors } from "../../kit/memory/ignoring-errors.js";
import type { Claim, Lease, Scope } from "../../kit/store.js";

/** The leases of this process whose holders are notified when an item is posted. */
export class LeaseHolders {
  readonly #byTask = new Map<string, LeaseHolder>();

  get isUsed(): boolean {
    return this.#byTask.size > 0;
  }

  has(id: string): boolean {
    return this.#byTask.has(id);
  }

  /** Ids of the tasks that these leases belong to. */
  get ids(): readonly string[] {
    return [...this.#byTask.keys()];
  }

  /** Adds a lease that was acquired or renewed. */
  add({ id, scope, epoch }: Omit<Lease, "holder">, { onPost }: Claim): void {
    const before = this.#byTask.get(id);
    if (onPost === undefined) this.#byTask.delete(id);
    else {
      const count = before?.epoch === epoch ? before.count : 0;
      this.#byTask.set(id, { scope, epoch, onPost, count });
    }
  }

  /**
   * Removes a lease that was released or lost, but keeps a lease of the same task with another
   * epoch.
   */
  remove({ id, epoch }: Pick<Lease, "id" | "epoch">): void {
    if (this.#byTask.get(id)?.epoch === epoch) this.#byTask.delete(id);
  }

  /**
   * Notifies the lease holder of a post.
   * @param count Number of posts so far. A repeated or outdated count is ignored.
   */
  posted(id: string, count: number = Infinity): void {
    const hold = this.#byTask.get(id);
    if (hold === undefined || count <= hold.count) return;
    if (count !== Infinity) hold.count = count;
    ignoringErrors(() => {
      hold.onPost(hold.scope, id);
    });
  }
}

interface LeaseHolder {
  readonly scope: Scope;
  readonly epoch: number;
  readonly onPost: (scope: Scope, id: string) => void;
  /** Number of posts that the lease holder was notified of. */
  count: number;
}
