import { isObject } from "../../runtime/base/json.js";
import type { CallContext } from "../../runtime/server/context.js";
import { isNoUser } from "../../runtime/server/user.js";
import type { Scope } from "../store.js";
import { exactness, isInexact } from "../exact.js";
import { invalid } from "../invalid.js";

/** User types for which the owner of tasks is known without the option `owner`. */
export type NamedUser = string | { readonly id: string } | null | undefined;

/**
 * Returns the owner of a user's tasks: a non-empty string that identifies the owner uniquely. Not
 * called for anonymous callers without a user, whose owner is the empty string.
 */
export type OwnerOf<User> = (user: User) => string;

/** Returns whether the caller is anonymous: no user was identified. */
export function isAnonymous({
  isAnonymous,
  user,
}: Pick<CallContext, "isAnonymous" | "user">): boolean {
  // A service that wraps the task service may pass its own context.
  return isAnonymous || isNoUser(user);
}

/**
 * Returns the scope of a call. Throws a `TypeError` if the user has no `id` and `ownerOf` is
 * absent, if the owner is empty, or if stores could confuse the owner with another owner. Throws an
 * `InvalidParamsError` if stores could confuse the tenant with another tenant.
 */
export function scopeOf<User>(
  user: User,
  tenant: string | undefined,
  ownerOf: OwnerOf<User> | undefined,
): Scope {
  const owner = isNoUser(user) ? "" : ownerFrom(user, ownerOf);
  if (isInexact(owner)) throw new TypeError(`The owner of a user's tasks ${exactness}`);
  if (tenant !== undefined && isInexact(tenant)) throw invalid("tenant", exactness);
  return { tenant: tenant ?? "", owner };
}

function ownerFrom<User>(user: User, ownerOf: OwnerOf<User> | undefined): string {
  const owner: unknown = ownerOf === undefined ? nameOf(user) : ownerOf(user);
  if (typeof owner !== "string")
    throw new TypeError(`\`owner\` must return a string, got ${typeof owner}`);
  // The empty owner belongs to anonymous callers, who would share the tasks of such a user.
  if (owner === "")
    throw new TypeError(
      "The owner of a user's tasks must not be empty: return a name from `owner`, or give users " +
        "an `id`",
    );
  return owner;
}

function nameOf(user: unknown): string {
  if (typeof user === "string") return user;
  if (isObject(user) && typeof user["id"] === "string") return user["id"];
  throw new TypeError(
    "Cannot determine task ownership: pass `owner` to the task service, or give users an `id`",
  );
}

/** Returns the user data that is stored and that turns receive. */
export function rememberedOf(
  user: unknown,
  remember: ((user: unknown) => unknown) | undefined,
): unknown {
  // An object without an id may contain secrets. Other values for no user, such as `null`, do not.
  if (isNoUser(user)) return user === false || isObject(user) ? undefined : user;
  if (remember !== undefined) return remember(user);
  // User objects often contain tokens, hashes and other secrets, which must not be stored.
  if (!isObject(user))
    return typeof user === "string" || typeof user === "number" ? user : undefined;
  return "id" in user ? { id: user["id"] } : undefined;
}
