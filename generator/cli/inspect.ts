import { once } from "node:events";
import { startInspector, type Inspector } from "../../tools/inspector/server/server.js";
import { hasDisplay, openBrowser } from "../../tools/terminal/browser.js";
import { InputError } from "../../support/diagnostics.js";
import { ExitCode, print } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/** Arguments of `a2a-codegen inspect`. */
export type InspectArguments = Omit<Arguments<"inspect">, "cwd"> & {
  readonly url?: string | undefined;
};

/** Serves the page of the inspector until the process is interrupted. Returns the exit code. */
export async function inspectCommand({
  url,
  port,
  allow = "",
  open,
}: InspectArguments): Promise<number> {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
    throw new InputError({
      message: `--port cannot be "${port}"`,
      hint: "Use a number from 0 to 65535",
    });
  const urls = [
    ...(url === undefined ? [] : [url]),
    ...allow.split(",").filter((entry) => entry !== ""),
  ].map(checkedUrl);
  const inspector = await start(urls, port);
  print(`Inspector: ${inspector.url}`);
  print("The URL contains a secret token. Press Ctrl+C to stop.");
  if (open ?? hasDisplay()) openBrowser(inspector.url);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await inspector.close();
  return ExitCode.ok;
}

/**
 * Returns the URL that a user has entered. If it has no scheme, adds the usual scheme for its host.
 */
function checkedUrl(text: string): string {
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?=$|[:/?#])/i.test(text);
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
    ? text
    : `${isLocal ? "http" : "https"}://${text}`;
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw new InputError({
    message: `"${text}" is not a URL`,
    hint: "Use a URL such as http://127.0.0.1:4000",
  });
}

async function start(urls: readonly string[], port: number | undefined): Promise<Inspector> {
  try {
    return await startInspector({ urls, port, loadGrpc });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new InputError({
      message: `port ${port ?? 0} is in use`,
      hint: "Choose another port, or leave --port out",
    });
  }
}

async function loadGrpc() {
  try {
    return (await import("../../tools/inspector/server/grpc-bridge.js")).grpcBridge;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"))
      throw error;
    throw new Error(
      "gRPC requires a package: run `npm install @grpc/grpc-js` and start the inspector again",
      {
        cause: error,
      },
    );
  }
}
