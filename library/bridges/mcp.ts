import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  createRequestStateCodec,
  type McpHttpHandler,
  McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { longestMs } from "../kit/timer.js";
import type { RemoteAgent } from "../client/remote-agent.js";
import { log, notify } from "../runtime/base/async.js";
import { Call, type CallSettings, type AgentHeaders, type Waiting } from "./mcp/call.js";
import { problemWith } from "./mcp/result.js";
import { toolsOf } from "./mcp/tools.js";
import { toolName } from "./report.js";
import { secretBytes } from "./secrets.js";

/** The caller of an MCP server. Over stdio, both members are absent. */
export interface McpCaller {
  /** The result of the check of the access token, if it was passed to `fetch`. */
  readonly authInfo?: AuthInfo | undefined;
  readonly request?: Request | undefined;
}

/** Options for an agent as an MCP server. */
export interface McpOptions {
  /**
   * Secret of at least 32 bytes, the same in all processes. It signs the ids of tasks that wait for
   * an answer, because these ids travel through the MCP client. Default: a random secret, which is
   * only suitable for one process.
   */
  readonly secret?: string;
  /**
   * Returns the headers of the calls to the agent, such as credentials. MCP forbids sending the
   * access token of the caller to another server.
   */
  readonly headers?: (caller: McpCaller) => AgentHeaders | Promise<AgentHeaders>;
  /**
   * Identifies the caller. Only the caller that was asked can answer a question. Default: the
   * `clientId` of the access token, and its `sub` if `extra` contains it.
   */
  readonly owner?: (caller: McpCaller) => string;
  /** Name of the server. The tool is `ask_` and this name. Default: the name in the agent card. */
  readonly name?: string;
  /** Whether each skill is a tool. The `metadata` of the message then contains the `skillId`. */
  readonly skillTools?: boolean;
  /** Milliseconds in which a question can be answered; one day by default. */
  readonly answerWithinMs?: number;
  /**
   * Maximum length of an answer in characters, including files in base64; 4 Mi by default. If an
   * answer is longer, its task is canceled.
   */
  readonly maxLength?: number;
  /** Reports why the agent could not be called; by default to `console.error`. */
  readonly onError?: (error: unknown) => void | Promise<void>;
}

/** Options for an agent as an MCP server over HTTP. */
export interface McpHandlerOptions extends McpOptions {
  readonly secret: string;
}

/**
 * Returns a handler that serves an agent as an MCP server over HTTP, on any platform. It contains
 * no check of access tokens, hosts and origins.
 *
 * @example
 * export default mcpHandler(remoteAgent("https://agent.example.com"), { secret });
 */
export function mcpHandler(remote: RemoteAgent, options: McpHandlerOptions): McpHttpHandler {
  const { onError } = options;
  return createMcpHandler(mcpServer(remote, options), {
    onerror(error) {
      if (onError !== undefined) notify(() => onError(error));
    },
  });
}

/**
 * Returns a function that creates MCP servers for an agent, for `serveStdio` or `createMcpHandler`.
 *
 * @example
 * serveStdio(mcpServer(remoteAgent("https://agent.example.com")));
 */
export function mcpServer(remote: RemoteAgent, options: McpOptions = {}): McpServerFactory {
  const { owner = clientOf, answerWithinMs = 86_400_000 } = options;
  const onError: NonNullable<McpOptions["onError"]> = options.onError ?? log;
  const codec = createRequestStateCodec<Waiting>({
    key: keyOf(options.secret),
    ttlSeconds: Math.ceil(answerWithinMs / 1_000),
    bind: (context) => owner(callerOf(context)),
  });
  const report = (error: unknown): void => {
    notify(() => onError(error));
  };
  return async () => {
    // Without its card, the agent is still served, because a later connection may succeed.
    const card = await remote.card().catch(() => undefined);
    const mcp = new McpServer(
      { name: toolName(options.name ?? card?.name ?? "agent"), version: card?.version ?? "1" },
      {
        capabilities: { tools: {} },
        inputRequired: { roundTimeoutMs: Math.max(1, Math.min(answerWithinMs, longestMs)) },
        requestState: { verify: (state, context) => codec.verify(state, context) },
      },
    );
    // The tools are not registered, because the card may only be known later.
    mcp.server.setRequestHandler("tools/list", async () => {
      try {
        return { tools: toolsOf(await remote.card(), options).map(({ tool }) => tool) };
      } catch (error) {
        report(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, problemWith(error));
      }
    });
    mcp.server.setRequestHandler("tools/call", async ({ params }, context) => {
      const { maxLength = 4 * 2 ** 20 } = options;
      const settings: CallSettings = {
        remote,
        tools: options,
        // Clients of earlier revisions declare their capabilities when they connect.
        capabilities:
          capabilitiesIn(context) ??
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way before 2026
          mcp.server.getClientCapabilities(),
        headers: () => options.headers?.(callerOf(context)) ?? {},
        maxLength,
        mint: (waiting) => codec.mint(waiting, context),
        report,
      };
      return await new Call(context, settings).result(params);
    });
    return mcp;
  };
}

function capabilitiesIn({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  // The package omits the members of the envelope from its type.
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } =
    mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY];
}

function callerOf({ http }: ServerContext): McpCaller {
  return { authInfo: http?.authInfo, request: http?.req };
}

function clientOf({ authInfo }: McpCaller): string {
  return JSON.stringify([authInfo?.clientId, authInfo?.extra?.["sub"]]);
}

function keyOf(secret: string | undefined): Uint8Array {
  return secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : secretBytes(secret);
}
