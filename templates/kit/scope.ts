import { isObject } from "../runtime/base/json.js";
import type { Scope } from "./store.js";
import { invalid } from "./views.js";

/** Users whose tasks can be told apart without a function that says how. */
export type NamedUser = string | { readonly id: string } | null | undefined;

/** Returns whose the tasks of a user are: a text that is the same for the same owner, and another one for any other. */
export type OwnerOf<User> = (user: User) => string;

/** What stores cannot keep as it is. */
const inexact = /[\0\p{Surrogate}]/u;
const isInexact = "has NUL or half of a surrogate pair";

/**
 * Returns the scope of a call. Throws a `TypeError` for a user that has no `id`, where no function says the owner, and
 * for an owner that stores would keep as the same text as another one; an `InvalidParamsError` for such a tenant.
 */
export function scopeOf<User>(user: User, tenant: string | undefined, ownerOf: OwnerOf<User> | undefined): Scope {
  const owner = ownerOf === undefined ? nameOf(user) : ownerOf(user);
  if (typeof owner !== "string") throw new TypeError(`\`owner\` returned a value of type ${typeof owner}, and no text`);
  if (inexact.test(owner)) throw new TypeError(`The name of an owner ${isInexact}`);
  if (tenant !== undefined && inexact.test(tenant)) throw invalid("tenant", isInexact);
  return { tenant: tenant ?? "", owner };
}

function nameOf(user: unknown): string {
  if (user === undefined || user === null) return "";
  if (typeof user === "string") return user;
  if (isObject(user) && typeof user["id"] === "string") return user["id"];
  throw new TypeError(
    "Nothing says whose tasks a user may see: give the task service a function `owner`, or users an `id`",
  );
}
