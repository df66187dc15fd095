/**
 * Returns whether a host name or address is of this machine or of a private network: only there, cards and calls may be
 * unencrypted.
 */
export function isLocal(hostname: string): boolean {
  return isLoopback(hostname) || isPrivate(hostname.toLowerCase());
}

/** Returns whether a host name or address is of this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i.test(hostname);
}

function isPrivate(host: string): boolean {
  if (/^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[f[cd]|\[fe80:)/.test(host)) return true;
  // A name without a dot is a name in the local network, such as the name of a container.
  return /\.(?:local|internal|lan|home\.arpa|test)$/.test(host) || /^[^.[\]:]+$/.test(host);
}
