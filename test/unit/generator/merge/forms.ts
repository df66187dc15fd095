/** A file of a user, and what a merge that knows all but `listTasks` makes of it. */
export interface Form {
  readonly text: string;
  /** How often the method is added; once unless said. */
  readonly added?: number;
  /** How often it is not added, because something spread may have it; never unless said. */
  readonly unclear?: number;
  /** Required content of the merged text. */
  readonly has?: readonly string[];
  /** Whether a line of the user must be split. */
  readonly splits?: true;
}

const types = `import type { A2AService, GetTaskRequest, Task } from "./a2a/index.js";`;
const service = `import type { A2AService } from "./a2a/index.js";`;
const task = `{ id, status: { state: "TASK_STATE_WORKING" } }`;
const getTask = `getTask({ id }: GetTaskRequest): Task {
    return ${task};
  }`;

/**
 * Every implementation form of the service that a merge must find, by name. Each compiles with the
 * output of 1.0.
 */
export const forms: Readonly<Record<string, Form>> = {
  "a class": {
    text: `${types}\n\nexport class Agent implements A2AService {\n  ${getTask}\n}\n`,
    has: [
      `import type { A2AService, GetTaskRequest, Task, CallContext, ListTasksRequest, ListTasksResponse } from "./a2a/index.js";\nimport { UnsupportedOperationError } from "./a2a/index.js";\n`,
      `  }\n\n  /**\n   * Lists the tasks`,
      `   */\n  listTasks(_request: ListTasksRequest, context: CallContext): Promise<ListTasksResponse> {\n    throw new UnsupportedOperationError(\`\${context.operation.method} is not implemented\`);\n  }\n}\n`,
    ],
  },
  "a class that implements a part": {
    text: `${types}\nexport class Agent implements Partial<A2AService> {\n  ${getTask}\n}\n`,
  },
  "a class that omits the operation": {
    text: `${types}\nexport class Agent implements Omit<A2AService, "listTasks"> {\n  ${getTask}\n}\n`,
    added: 0,
  },
  "a class with a base class": {
    text: `${types}\nclass Base {\n  readonly name = "base";\n}\nexport class Agent extends Base implements A2AService {\n  ${getTask}\n}\n`,
  },
  "a class whose base class has the method": {
    text: `${types}\nclass Base {\n  listTasks() {\n    return { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };\n  }\n}\nexport class Agent extends Base implements A2AService {\n  ${getTask}\n}\n`,
    added: 0,
  },
  "a base class and what extends it": {
    text: `${types}\nclass Base implements A2AService {\n  ${getTask}\n}\nexport class Agent extends Base implements A2AService {\n  readonly name = "agent";\n}\n`,
    has: ["  }\n\n  /**\n   * Lists"],
  },
  "a class with a custom interface": {
    text: `${types}\ninterface Service extends A2AService {\n  readonly name: string;\n}\nexport class Agent implements Service {\n  readonly name = "agent";\n  ${getTask}\n}\n`,
  },
  "an alias of the interface": {
    text: `${types}\ntype Service = Readonly<A2AService> & { readonly name: string };\nexport const service: Service = {\n  name: "x",\n  ${getTask},\n};\n`,
  },
  "a class expression": {
    text: `${types}\nexport const Agent = class implements A2AService {\n  ${getTask}\n};\n`,
  },
  "two classes": {
    text: `${types}\nexport class A implements A2AService {\n  ${getTask}\n}\n\nexport class B implements A2AService {}\n\nexport class C {\n  readonly name = "c";\n}\n`,
    added: 2,
    splits: true,
  },
  "an empty class": {
    text: `import type { A2AService } from "./a2a/server/index.js";\n\nexport class Agent implements A2AService {\n  // Nothing yet.\n}\n`,
    has: [
      `{ UnsupportedOperationError } from "./a2a/errors.js"`,
      `import type { ListTasksRequest, ListTasksResponse } from "./a2a/models.js"`,
      `  // Nothing yet.\n\n  /**\n`,
    ],
  },
  "an annotated object": {
    text: `${types}\nexport const service: A2AService = {\n  ${getTask},\n};\n`,
    has: [
      "  },\n\n  /**\n   * Lists",
      "    throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\n  },\n};\n",
    ],
  },
  "an object without a comma at its end": {
    text: `${types}\nexport const service: A2AService = {\n  ${getTask} // so far\n};\n`,
    has: [
      "  }, // so far\n\n  /**",
      "    throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\n  }\n};\n",
    ],
  },
  "an object that satisfies the interface": {
    text: `${types}\nexport const service = {\n  getTask: ({ id }: GetTaskRequest): Task => (${task}),\n} satisfies A2AService;\n`,
  },
  "an object handed to the factory": {
    text: `import { createAgent } from "./a2a/index.js";\nimport type { AgentCard } from "./a2a/models.js";\n\nexport const agent = (card: AgentCard) =>\n  createAgent({\n    card,\n    service: {\n      getTask: ({ id }) => (${task}),\n    },\n  });\n`,
    has: [
      `import { createAgent, type CallContext, UnsupportedOperationError } from "./a2a/index.js";`,
      `import type { AgentCard, ListTasksRequest, ListTasksResponse } from "./a2a/models.js";`,
      "      listTasks(",
    ],
  },
  "a class handed to the factory": {
    text: `import { createAgent, type AgentCard } from "./a2a/index.js";\nclass Plain {\n  getTask = ({ id }: { id: string }) => (${task.replace('"TASK_STATE_WORKING"', '"TASK_STATE_WORKING" as const')});\n}\nconst service = new Plain();\nexport const agent = (card: AgentCard) => createAgent({ card, service });\n`,
  },
  "an object handed to a function of the user": {
    text: `${types}\nconst logged = (service: A2AService): A2AService => service;\nexport const service = logged({\n  ${getTask},\n});\n`,
  },
  "an instance of a class that does not name the interface": {
    text: `${types}\nclass Plain {\n  ${getTask}\n}\nexport const service: A2AService = new Plain();\n`,
  },
  "a function that gives one": {
    text: `${types}\nexport function make(): A2AService {\n  const service: Partial<A2AService> = {};\n  if (service.getTask !== undefined) return service;\n  return {\n    ${getTask.replaceAll("\n", "\n  ")},\n  };\n}\n`,
    added: 2,
    splits: true,
  },
  "an object that is spread": {
    text: `${types}\nconst base = { listTasks: () => ({ tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 }) };\nexport const service: A2AService = { ...base, ${getTask} };\n`,
    added: 0,
  },
  "a spread of something unknown": {
    text: `${types}\nexport const make = (base: A2AService): A2AService => {\n  return {\n    ...base,\n    ${getTask.replaceAll("\n", "\n  ")},\n  };\n};\n`,
    added: 0,
    unclear: 1,
  },
  "a spread of an object that spreads something unknown": {
    text: `${types}\nexport const make = (other: A2AService) => {\n  const base = { ...other };\n  const service: A2AService = { ...base, ${getTask} };\n  return service;\n};\n`,
    added: 0,
    unclear: 1,
  },
  "a spread of what is known": {
    text: `${types}\nconst base = (isNamed: boolean) => {\n  return isNamed ? { name: "x" } : {};\n};\nexport const service: A2AService = {\n  ...base(true),\n  ${getTask},\n};\n`,
  },
  "a renamed import": {
    text: `import type { A2AService as Service } from "./a2a/index.js";\nexport class Agent implements Service {\n  name = "x";\n}\n`,
    has: [`{ A2AService as Service, CallContext, ListTasksRequest, ListTasksResponse }`],
  },
  "a namespace import": {
    text: `import * as a2a from "./a2a/index.js";\nexport class Agent implements a2a.A2AService {\n  name = "x";\n}\n`,
    has: [
      "listTasks(_request: a2a.ListTasksRequest, context: a2a.CallContext): Promise<a2a.ListTasksResponse> {",
      "throw new a2a.UnsupportedOperationError(`${context.operation.method} is not implemented`);",
    ],
  },
  "a namespace import of types": {
    text: `import type * as a2a from "./a2a/index.js";\nexport class Agent implements a2a.A2AService {\n  name = "x";\n}\n`,
    has: [`import { UnsupportedOperationError } from "./a2a/index.js";\n`, "a2a.ListTasksRequest"],
  },
  "an inline import": {
    text: `export const service: import("./a2a/index.js").A2AService = {};\n`,
    has: [`import { UnsupportedOperationError } from "./a2a/errors.js";\n`],
    splits: true,
  },
  "a path alias": {
    text: `import type { A2AService } from "@protocol/server/service.js";\nexport class Agent implements A2AService {\n  name = "x";\n}\n`,
    has: [`from "@protocol/errors.js"`, `from "@protocol/models.js"`],
  },
  "a file of the user that hands the interface on": {
    text: `import type { A2AService } from "./barrel.js";\nexport class Agent implements A2AService {\n  name = "x";\n}\n`,
    has: [`import { UnsupportedOperationError } from "./a2a/errors.js"`],
  },
  "a base class in another file": {
    text: `import { Lister } from "./barrel.js";\nimport type { A2AService } from "./a2a/index.js";\nexport class Agent extends Lister implements A2AService {\n  name = "x";\n}\n`,
    added: 0,
  },
  "names that the file uses for something else": {
    text: `import type { A2AService } from "./a2a/index.js";\nexport type ListTasksRequest = string;\nexport class UnsupportedOperationError extends Error {}\nexport class Agent implements A2AService {\n  name = "x";\n}\n`,
    has: [
      "ListTasksRequest as ProtocolListTasksRequest",
      "_request: ProtocolListTasksRequest",
      "throw new ProtocolUnsupportedOperationError(`${context.operation.method} is not implemented`)",
    ],
  },
  "members that are no methods": {
    text: `${types}\nconst key = "listTasks";\nconst page = { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };\nexport class Arrow implements A2AService {\n  listTasks = () => page;\n}\nexport class Quoted implements A2AService {\n  "listTasks"() {\n    return page;\n  }\n}\nexport class Computed implements A2AService {\n  [key]() {\n    return page;\n  }\n}\nexport class Accessor implements A2AService {\n  get listTasks() {\n    return () => page;\n  }\n}\nexport const literal: A2AService = { ["listTasks"]: () => page, getTask: ({ id }: GetTaskRequest): Task => (${task}) };\n`,
    added: 0,
  },
  "members that only look like it": {
    text: `${types}\nexport class Agent implements A2AService {\n  static listTasks() {\n    return 1;\n  }\n  #listTasks() {\n    return 2;\n  }\n  ${getTask}\n  all() {\n    return this.#listTasks();\n  }\n}\n`,
  },
  "a class on one line": {
    text: `${service}\nexport class Agent implements A2AService { cancelTask() { return ${task.replace("id", 'id: "1"')}; } }\n`.replace(
      `"TASK_STATE_WORKING"`,
      `"TASK_STATE_WORKING" as const`,
    ),
    has: [
      "implements A2AService {\n  /**\n   * Lists",
      "throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\n  }\n\n   cancelTask() { return ",
      "; } }\n",
    ],
    splits: true,
  },
  "an object on one line that is handed on": {
    text: `import { createAgent, type AgentCard } from "./a2a/index.js";\nexport const make = (card: AgentCard) => createAgent({ card, service: { getTask: ({ id }) => (${task}) } });\n`,
    has: [
      "service: { getTask: ({ id })",
      "}),\n\n  /**\n   * Lists",
      "throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\n  }\n } });\n",
    ],
    splits: true,
  },
  "a spread of one object or another": {
    text: `${types}\nexport const make = (other: A2AService, isOther: boolean): A2AService => ({ ...(isOther ? other : {}), ${getTask} });\n`,
    added: 0,
    unclear: 1,
  },
  "lines that end in CRLF, and a byte order mark": {
    text: `\uFEFF${types}\n\nexport class Agent implements A2AService {\n  ${getTask}\n}\n`.replaceAll(
      "\n",
      "\r\n",
    ),
    has: [
      "  }\r\n\r\n  /**\r\n   * Lists",
      "    throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\r\n  }\r\n}\r\n",
    ],
  },
  "an empty object with a space in it": {
    text: `${service}\nexport const service: A2AService = { };\n`,
    has: [
      "A2AService = {\n  /**",
      "throw new UnsupportedOperationError(`${context.operation.method} is not implemented`);\n  },\n };\n",
    ],
    splits: true,
  },
  "imports over several lines": {
    text: `import {\n  type A2AService, // the service\n  createAgent,\n  type Task\n} from "./a2a/index.js";\nexport class Agent implements A2AService {\n  tasks: Task[] = [];\n  readonly make = createAgent;\n}\n`,
    has: [
      "  type Task,\n  type CallContext,\n  type ListTasksRequest,\n  type ListTasksResponse,\n  UnsupportedOperationError\n} from",
    ],
  },
};
