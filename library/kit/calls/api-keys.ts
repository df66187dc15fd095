import { digestOf } from "../push/secrets.js";
import type { CheckCredentials } from "./authentication.js";

/**
 * Returns a check for `authenticateBy` that returns the user of an API key. It always compares the
 * digests of all keys, so that the duration of the check does not reveal anything about the keys.
 *
 * @param users - maps each key to its user
 * @throws {TypeError} if a key is empty, for example because an environment variable is missing
 *
 * @example
 * const access = authenticateBy(card, { key: apiKeys({ [process.env["API_KEY"] ?? ""]: "ada" }) });
 */
export function apiKeys<User>(
  users: Readonly<Record<string, User>> | ReadonlyMap<string, User>,
): CheckCredentials<User> {
  const entries = isMap(users) ? [...users] : Object.entries(users);
  if (entries.some(([key]) => key.trim() === ""))
    throw new TypeError("An API key is empty: an environment variable may be missing");
  const digests = Promise.all(
    entries.map(async ([key, user]): Promise<[Uint8Array, User]> => [await digestOf(key), user]),
  );
  return async (key) => {
    const digest = await digestOf(key);
    let found: User | undefined;
    for (const [known, user] of await digests) if (isSame(digest, known)) found = user;
    return found;
  };
}

function isMap<User>(users: object): users is ReadonlyMap<string, User> {
  return users instanceof Map;
}

/** Compares digests in constant time. */
function isSame(found: Uint8Array, expected: Uint8Array): boolean {
  let difference = 0;
  for (const [index, byte] of found.entries()) difference |= byte ^ (expected[index] ?? 0);
  return difference === 0;
}
