import { isPublicHost } from "../../library/runtime/base/address.js";

/**
 * Returns whether a host name or address belongs to this machine or to a private network. Cards and
 * calls may be unencrypted only for such hosts.
 */
export function isLocal(hostname: string): boolean {
  const host = hostname.toLowerCase();
  // Names in `.test` are never public.
  return isLoopback(host) || !isPublicHost(host) || host.endsWith(".test");
}

/** Returns whether a host name or address belongs to this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i.test(
    hostname,
  );
}
