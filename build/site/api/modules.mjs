/** Versions of the output that has all modules below, besides its own. */
export const versions = ["0.3.0"];

/** Targets of this output. */
export const targets = [
  "+auth-jwt",
  "+auth-oauth",
  "+gateway",
  "+otel",
  "+store-postgres",
  "+store-redis",
  "+store-sharded",
  "+store-sqlite",
  "+store-tests",
];

/**
 * The modules of an output that users import: the file, the name of the page, and what the module
 * contains.
 */
const ofOutput = [
  ["index.ts", "agents-and-clients", "Agents and clients", "Connect, call, and serve an agent"],
  ["kit/index.ts", "kit", "Task kit", "Task services, turns and their updates, authentication"],
  [
    "kit/client/index.ts",
    "kit-client",
    "Client kit",
    "Remote agents, tasks to follow, interceptors",
  ],
  ["kit/testing.ts", "testing", "Testing", "Turns and scripted agents in tests"],
  ["kit/node.ts", "kit-node", "Node", "Shutdown and files of agents on Node"],
  ["kit/otel.ts", "otel", "OpenTelemetry", "Traces and metrics"],
  ["kit/stores/sqlite.ts", "store-sqlite", "SQLite store", "Tasks in SQLite"],
  ["kit/stores/postgres.ts", "store-postgres", "Postgres store", "Tasks in Postgres"],
  ["kit/stores/redis.ts", "store-redis", "Redis store", "Tasks in Redis"],
  [
    "kit/stores/index.ts",
    "stores",
    "Several stores",
    "A store of several stores, and the interface of a store",
  ],
  ["kit/auth/jwt.ts", "auth-jwt", "JWT", "Checks of tokens for agents"],
  ["kit/auth/oauth.ts", "auth-oauth", "OAuth", "Tokens for clients"],
  ["kit/auth/loopback.ts", "auth-loopback", "Sign-in on loopback", "Sign-in of command lines"],
  ["kit/auth/token-file.ts", "auth-token-file", "Token file", "Tokens in a file"],
  ["server/node.ts", "server-node", "Node server", "A listener for Node and its frameworks"],
  ["server/gateway.ts", "server-gateway", "Gateway", "A gateway in front of an agent"],
  ["server/http2.ts", "server-http2", "Server for all transports", "All transports on one port"],
  ["server/grpc.ts", "server-grpc", "gRPC server", "An agent over gRPC"],
  ["client/grpc.ts", "client-grpc", "gRPC client", "Calls over gRPC"],
  ["versions/0.3/client.ts", "client-0-3", "Client of A2A 0.3", "Calls of agents of A2A 0.3"],
  ["versions/0.3/server.ts", "server-0-3", "Server of A2A 0.3", "Callers of A2A 0.3"],
];

/** The bridges, which users import from the library. */
const bridges = [
  ["ai-sdk", "AI SDK", "AI SDK agents, models and tools"],
  ["langgraph", "LangGraph", "Graphs as agents, and agents as nodes"],
  ["mastra", "Mastra", "Mastra agents"],
  ["mastra-tool", "Mastra tools", "Agents as tools of Mastra agents"],
  ["openai-agents", "OpenAI Agents SDK", "Its agents, and agents as tools"],
  ["mcp", "MCP server", "An agent as an MCP server"],
  ["mcp-tools", "MCP tools", "Tools of MCP servers in turns"],
  ["ag-ui", "AG-UI", "An agent behind a page with AG-UI"],
  ["gateway", "Gateways", "The options and the report of gateways"],
];

/** The pages of the reference, in the order of the navigation. */
export const modules = [
  ...ofOutput.map(([file, page, title, about]) => ({
    file,
    page,
    title,
    about,
    specifier: `./a2a/${file.replace(/ts$/, "js")}`,
  })),
  ...bridges.map(([name, title, about]) => ({
    file: `bridges/${name}.ts`,
    page: `bridge-${name}`,
    title,
    about,
    specifier: `a2a-codegen-runtime/bridges/${name}`,
  })),
];
