import { isObject } from "../../runtime/base/json.js";
import type { CallContext } from "../../runtime/server/context.js";
import { isNoUser } from "../../runtime/server/user.js";
import type { Scope } from "../store.js";
import { invalid } from "./views.js";

/** Users whose tasks can be told apart without a function that says how. */
export type NamedUser = string | { readonly id: string } | null | undefined;

/**
 * Returns the owner of a user's tasks: a string that is not empty, the same for the same owner, and different for any
 * other owner. It is called for users only; the owner of anonymous callers without a user is the empty string.
 */
export type OwnerOf<User> = (user: User) => string;

/** What stores cannot keep as it is. */
const inexact = /[\0\p{Surrogate}]/u;
const isInexact = "has NUL or half of a surrogate pair";

/** Returns whether a call has no user that anything has identified. */
export function isAnonymous({ isAnonymous, user }: Pick<CallContext, "isAnonymous" | "user">): boolean {
  // A service may wrap the task service, and pass a context of its own.
  return isAnonymous || isNoUser(user);
}

/**
 * Returns the scope of a call. Throws a `TypeError` for a user without an `id` if no function returns the owner, and for
 * an owner that is empty or that stores would keep as the same text as another one; an `InvalidParamsError` for such a
 * tenant.
 */
export function scopeOf<User>(user: User, tenant: string | undefined, ownerOf: OwnerOf<User> | undefined): Scope {
  const owner = isNoUser(user) ? "" : ownerFrom(user, ownerOf);
  if (inexact.test(owner)) throw new TypeError(`The name of an owner ${isInexact}`);
  if (tenant !== undefined && inexact.test(tenant)) throw invalid("tenant", isInexact);
  return { tenant: tenant ?? "", owner };
}

function ownerFrom<User>(user: User, ownerOf: OwnerOf<User> | undefined): string {
  const owner: unknown = ownerOf === undefined ? nameOf(user) : ownerOf(user);
  if (typeof owner !== "string") throw new TypeError(`\`owner\` returned a value of type ${typeof owner}, and no text`);
  // The empty owner is that of anonymous callers, who would share the tasks of such a user.
  if (owner === "") throw new TypeError("`owner` returned an empty string for a user: return a name of the owner");
  return owner;
}

function nameOf(user: unknown): string {
  if (typeof user === "string") return user;
  if (isObject(user) && typeof user["id"] === "string") return user["id"];
  throw new TypeError(
    "Nothing says whose tasks a user may see: give the task service a function `owner`, or users an `id`",
  );
}

/** Returns what is stored of a user, and turns get. */
export function rememberedOf(user: unknown, remember: ((user: unknown) => unknown) | undefined): unknown {
  if (isNoUser(user)) return user === false || isObject(user) ? undefined : user;
  if (remember !== undefined) return remember(user);
  // Users often have tokens, hashes and other secrets that no store should keep.
  if (!isObject(user)) return typeof user === "string" || typeof user === "number" ? user : undefined;
  return "id" in user ? { id: user["id"] } : undefined;
}
