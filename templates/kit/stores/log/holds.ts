import { quietly } from "../../memory/quietly.js";
import type { Claim, Lease } from "../../store.js";

/** The leases of this process whose holders want to know of posts. */
export class Holds {
  readonly #byTask = new Map<string, Hold>();

  get isUsed(): boolean {
    return this.#byTask.size > 0;
  }

  /** The tasks of these leases. */
  get ids(): readonly string[] {
    return [...this.#byTask.keys()];
  }

  /** A lease was taken or renewed. */
  add({ id, epoch }: Pick<Lease, "id" | "epoch">, { onPost }: Claim): void {
    const before = this.#byTask.get(id);
    if (onPost === undefined) this.#byTask.delete(id);
    else this.#byTask.set(id, { epoch, onPost, count: before?.epoch === epoch ? before.count : 0 });
  }

  /** A lease was given back or lost. */
  remove({ id, epoch }: Pick<Lease, "id" | "epoch">): void {
    if (this.#byTask.get(id)?.epoch === epoch) this.#byTask.delete(id);
  }

  /** Something was posted to a task; of several calls with a count of posts, those that say nothing new are ignored. */
  posted(id: string, count: number = Infinity): void {
    const hold = this.#byTask.get(id);
    if (hold === undefined || count <= hold.count) return;
    if (count !== Infinity) hold.count = count;
    quietly(() => {
      hold.onPost(id);
    });
  }
}

interface Hold {
  readonly epoch: number;
  readonly onPost: (id: string) => void;
  /** How many posts its holder was told of. */
  count: number;
}
