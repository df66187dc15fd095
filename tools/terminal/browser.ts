import { spawn } from "node:child_process";

/** Returns whether the user is likely to see a browser that this process opens. */
export function hasDisplay(): boolean {
  const { SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY, CI } = process.env;
  if (!process.stdout.isTTY || SSH_CONNECTION !== undefined || CI !== undefined) return false;
  return process.platform !== "linux" || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
}

/** Opens a URL in the default browser. Ignores failures, because the URL has been printed. */
export function openBrowser(url: string): void {
  const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
    darwin: ["open", url],
    // `start` would interpret characters of the URL.
    win32: ["rundll32", "url.dll,FileProtocolHandler", url],
  };
  const [command, ...args] = commands[process.platform] ?? ["xdg-open", url];
  spawn(command, args, { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
