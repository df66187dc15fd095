import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { build, type Plugin } from "esbuild";
import { onTestFinished, vi } from "vitest";
import { connect, type A2AClient, type Task } from "../../../../generated/1.0/index.js";
import { textOf } from "../../../../generated/1.0/kit/index.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { freePort } from "../../../support/free-port.js";
import { aMessage } from "../../../support/messages.js";
import { outFolder } from "../../../support/output.js";
import { library } from "../../../tools/library.mjs";
import { codeBlocks, readDocument } from "../../docs/markdown.js";
import type { NotedEnvironment } from "./notes.js";

/** The text of all orders, and the reports that their callers must get, in order. */
export const order = {
  text: "tea, cups, milk",
  progress: ["Reserved: tea", "Reserved: cups", "Reserved: milk"],
  question: "Pay 11 €?",
  result: "Paid: receipt for 11 €",
  steps: ["reserve tea", "reserve cups", "reserve milk", "charge"],
} as const;

/** A status that a subscriber has received: its state, and its text if it has one. */
export type Seen = readonly [state: string, text?: string];

/** The page that has the modules which the examples of all engines import. */
const commonPage = "docs/dbos.md";

/**
 * The programs of a page. Their steps are noted in a file, and they can be killed while they stand
 * still at a step.
 */
export class OrderPrograms {
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bundles the TypeScript examples of a page. */
  static async of(page: string, options: ProgramOptions = {}): Promise<OrderPrograms> {
    const folder = join(outFolder, page.replaceAll(/\W/g, "-"));
    mkdirSync(folder, { recursive: true });
    // Programs name their other modules with this extension.
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    for (const scope of options.scopes ?? []) linkScope(folder, scope);
    const blocks = [commonPage, page].flatMap((each) => codeBlocks(readDocument(each)));
    const sources = blocks.filter(({ language, file }) => language === "ts" && file !== undefined);
    for (const { file = "", text } of sources) writeFileSync(join(folder, file), text);
    await build({
      entryPoints: codeBlocks(readDocument(page)).flatMap(({ language, file }) =>
        language === "ts" && file !== undefined ? [join(folder, file)] : [],
      ),
      outdir: folder,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      plugins: [noted(folder), library()],
      banner: { js: options.banner ?? "" },
      logLevel: "warning",
    });
    return new OrderPrograms(folder);
  }

  /** Returns processes with notes of their own, for one test. */
  processes(variables: Readonly<Record<string, string>>): OrderProcesses {
    this.#count += 1;
    return new OrderProcesses(this.#folder, `${String(this.#count)}.notes`, variables);
  }
}

/** Options of {@link OrderPrograms.of}. */
export interface ProgramOptions {
  /** Code at the beginning of each program. */
  readonly banner?: string;
  /** Folders with the packages of a scope, such as `node_modules/@temporalio`. */
  readonly scopes?: readonly string[];
}

/** Processes of one test. */
export class OrderProcesses {
  readonly #folder: string;
  readonly #notes: string;
  readonly #release: string;
  readonly #variables: Readonly<Record<string, string>>;

  constructor(folder: string, notes: string, variables: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#notes = join(folder, notes);
    this.#release = `${this.#notes}.release`;
    this.#variables = variables;
    writeFileSync(this.#notes, "");
  }

  /** The notes of all processes, in order, without the names of the processes. */
  get notes(): readonly string[] {
    return this.#lines.map((line) => line.slice(line.indexOf(" ") + 1));
  }

  get #lines(): readonly string[] {
    return readFileSync(this.#notes, "utf8").split("\n").slice(0, -1);
  }

  /** Returns how often each step of the order has run. */
  get steps(): Readonly<Record<string, number>> {
    const { notes } = this;
    return Object.fromEntries(
      order.steps.map((step) => [step, notes.filter((each) => each === step).length]),
    );
  }

  /** Resolves when a process stands still. */
  async held(name: string): Promise<void> {
    await vi.waitUntil(() => this.#lines.includes(`${name} held`), { timeout: 100_000 });
  }

  /** Resolves when the processes have noted something a number of times. */
  async noted(what: string, times: number): Promise<void> {
    const isNoted = () => this.notes.filter((note) => note === what).length >= times;
    await vi.waitUntil(isNoted, { timeout: 100_000 });
  }

  /** Lets the process that stands still continue. */
  release(): void {
    writeFileSync(this.#release, "");
  }

  /** Starts a program of the page, and resolves when it has printed a line with `ready`. */
  async start(program: string, name: string, options: StartOptions): Promise<OrderProcess> {
    const { ready, hold = "", port = await freePort(), forgets = false, faster = 20 } = options;
    const given: NotedEnvironment = {
      NAME: name,
      NOTES: this.#notes,
      HOLD: hold,
      RELEASE: this.#release,
      FORGETS: forgets ? "1" : "",
      FASTER: String(faster),
    };
    const file = join(this.#folder, program.replace(/ts$/, "js"));
    const child = spawn(process.execPath, [file], {
      env: {
        ...process.env,
        ...this.#variables,
        ...given,
        ...options.variables,
        PORT: String(port),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await printed(child, ready);
    return { name, port, url: `http://127.0.0.1:${String(port)}`, kill: () => killed(child) };
  }
}

/** Options of {@link OrderProcesses.start}. */
export interface StartOptions {
  /** Part of the line that the process prints when it is ready. */
  readonly ready: string;
  /** Note at which the process stands still; none by default. */
  readonly hold?: string;
  /** Port of the process; a free port by default. */
  readonly port?: number;
  /** Whether requests to wake a task have no ids; `false` by default. */
  readonly forgets?: boolean;
  /** Number by which the times until tasks wake are divided; 20 by default. */
  readonly faster?: number;
  /** Additional variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A process that a test has started. */
export interface OrderProcess {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** Ends the process with SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

/** An order, as its caller sees it. */
export class Order {
  readonly id: string;
  /** Statuses that a subscriber has received, after the reports in the history of the task. */
  seen: Seen[] = [];
  /** Settles when the stream of the subscriber ends, which is at the end of the task. */
  ended: Promise<void> = Promise.resolve();

  private constructor(id: string) {
    this.id = id;
  }

  /** Sends an order to one process, and subscribes to its task in another process. */
  static async of(process: OrderProcess, other: OrderProcess, text: string): Promise<Order> {
    const client = await clientOf(process);
    const configuration = { returnImmediately: true };
    const { task } = await client.sendMessage({ message: aMessage(text), configuration });
    if (task === undefined) throw new Error("The agent has replied without a task");
    const placed = new Order(task.id);
    await placed.follow(other);
    return placed;
  }

  /** Subscribes to the task in a process, and forgets an earlier subscription. */
  async follow(process: OrderProcess): Promise<void> {
    const client = await clientOf(process);
    const seen: Seen[] = [];
    this.seen = seen;
    this.ended = this.#read(client, seen);
    this.ended.catch(() => undefined);
  }

  /** The texts that the subscriber has received, in order. */
  get texts(): readonly string[] {
    return this.seen.flatMap(([, text]) => (text === undefined ? [] : [text]));
  }

  /** Resolves when the subscriber has received a text a number of times. */
  async saw(text: string, times = 1): Promise<void> {
    const isSeen = () => this.texts.filter((each) => each === text).length >= times;
    await Promise.race([
      vi.waitUntil(isSeen, { timeout: 100_000 }),
      this.ended.then(() => {
        if (!isSeen()) throw new Error(`The task ended without ${text}`);
      }),
    ]);
  }

  /** Sends a message to the task; resolves when it is stored. */
  async say(text: string, process: OrderProcess): Promise<void> {
    const client = await clientOf(process);
    const message = aMessage(text, { taskId: this.id });
    await client.sendMessage({ message, configuration: { returnImmediately: true } });
  }

  /** Cancels the task; resolves to the canceled task. */
  async cancel(process: OrderProcess): Promise<Task> {
    const client = await clientOf(process);
    return client.cancelTask({ id: this.id });
  }

  async #read(client: A2AClient, seen: Seen[]): Promise<void> {
    for await (const event of client.subscribeToTask({ id: this.id })) {
      // The first event is the task with the reports that came before the subscription.
      const history = event.task?.history ?? [];
      const status = event.task?.status ?? event.statusUpdate?.status;
      if (status === undefined) continue;
      // The history can also contain the message of the status.
      const reports = history.filter(
        ({ role, messageId }) => role === "ROLE_AGENT" && messageId !== status.message?.messageId,
      );
      for (const report of reports) seen.push(["TASK_STATE_WORKING", textOf(report)]);
      const { state, message } = status;
      seen.push(message === undefined ? [state] : [state, textOf(message)]);
    }
  }
}

async function clientOf({ url }: OrderProcess): Promise<A2AClient> {
  const client = await connect(url);
  onTestFinished(() => {
    client.close();
  });
  return client;
}

/** Makes the packages of a scope available to the programs in a folder. */
function linkScope(folder: string, scope: string): void {
  const link = join(folder, "node_modules", basename(scope));
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(scope, link, "junction");
}

/** Lets the examples of a page use the output of this repository, and steps that are noted. */
function noted(folder: string): Plugin {
  const own = (name: string) => join(import.meta.dirname, name);
  const replaced: Readonly<Record<string, string>> = {
    "./shop.js": own("noted-shop.ts"),
    "./a2a/kit/index.js": own("noted-kit.ts"),
  };
  const stores = "./a2a/kit/stores/";
  return {
    name: "noted",
    setup(bundle) {
      bundle.onResolve({ filter: /^\.\// }, ({ path, resolveDir }) => {
        if (resolveDir !== folder) return undefined;
        const source = path.replace(/js$/, "ts");
        const found =
          replaced[path] ??
          (path.startsWith(stores)
            ? join(packageFolder, "library", "stores", source.replace(stores, ""))
            : source.startsWith("./a2a/")
              ? join(packageFolder, "generated", "1.0", source.replace("./a2a/", ""))
              : join(folder, source));
        return { path: found };
      });
    },
  };
}

/** Resolves when a process has printed a line with a text; rejects if it ends before. */
function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const channel of [child.stdout, child.stderr]) {
      if (channel === null) continue;
      createInterface(channel).on("line", (line) => {
        output += `${line}\n`;
        if (line.includes(text)) resolve();
      });
    }
    child.once("exit", (code) => {
      reject(new Error(`A process ended with exit code ${String(code)}: ${output}`));
    });
  });
}

/** Ends a process with SIGKILL; resolves when it has ended. */
export async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.kill("SIGKILL")) await ended;
}
