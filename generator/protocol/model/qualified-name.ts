import type { OperationDef } from "./types.js";

/**
 * Returns the full name of an operation's rpc, such as `shop.v1.Orders.PlaceOrder`. Returns the name
 * of the operation if it has no rpc.
 */
export function qualifiedName({ name, rpc }: Pick<OperationDef, "name" | "rpc">): string {
  return rpc === undefined ? name : `${rpc.service}.${rpc.method}`;
}
