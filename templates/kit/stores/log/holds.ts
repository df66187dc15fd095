import { quietly } from "../../memory/quietly.js";
import type { Claim, Lease } from "../../store.js";

/** The leases of this process whose holders want to know of posts. */
export class Holds {
  readonly #byTask = new Map<string, Hold>();

  get isUsed(): boolean {
    return this.#byTask.size > 0;
  }

  /** A lease was taken or renewed. */
  add({ id, epoch }: Pick<Lease, "id" | "epoch">, { onPost }: Claim): void {
    if (onPost === undefined) this.#byTask.delete(id);
    else this.#byTask.set(id, { epoch, onPost });
  }

  /** A lease was given back or lost. */
  remove({ id, epoch }: Pick<Lease, "id" | "epoch">): void {
    if (this.#byTask.get(id)?.epoch === epoch) this.#byTask.delete(id);
  }

  /** Something was posted to a task. */
  posted(id: string): void {
    const hold = this.#byTask.get(id);
    if (hold !== undefined) quietly(() => hold.onPost(id));
  }
}

interface Hold {
  readonly epoch: number;
  readonly onPost: (id: string) => void;
}
