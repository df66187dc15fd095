/** Target of a gRPC channel. */
export interface Target {
  /** The address in the form that gRPC requires. */
  readonly address: string;
  /** Whether the channel must be encrypted. */
  readonly secure: boolean;
}

const web = /^(https?|grpcs?):\/\/([^/?#]+)/i;
const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)(?::\d+)?$/i;

/**
 * Parses a URL or a gRPC target. `https` and `grpcs` are encrypted, `http` and `grpc` are not. Any
 * other target is encrypted, unless it is on this machine.
 */
export function parseTarget(url: string): Target {
  const [, scheme = "", authority = ""] = web.exec(url) ?? [];
  if (scheme === "") return { address: url, secure: !isLocal(url) };
  const secure = scheme.toLowerCase().endsWith("s");
  const hasPort = /:\d+$/.test(authority);
  const defaultPort = secure ? "443" : "80";
  return { address: hasPort ? authority : `${authority}:${defaultPort}`, secure };
}

function isLocal(target: string): boolean {
  return (
    /^unix(?:-abstract)?:/i.test(target) ||
    loopback.test(target.replace(/^(?:dns|ipv4|ipv6):(?:\/\/[^/]*\/)?/i, ""))
  );
}
