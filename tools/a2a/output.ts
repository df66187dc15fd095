import { visible, visibleLines } from "../../support/visible.js";
import type { Failure } from "./errors.js";

/** Maximum number of characters of a block, so that an agent cannot flood a terminal. */
const maxBlock = 50_000;

/** Maximum number of characters of a field. */
const maxField = 2_000;

/** Output options of a command. */
export type Format = "text" | "json";

/**
 * Prints results to standard output, and everything else to standard error. Control characters are
 * printed as escapes, because text from an agent must not control the terminal.
 */
export class Output {
  readonly format: Format;
  /** Whether the result is printed while it arrives. In JSON, each line then contains one value. */
  readonly isStream: boolean;
  /** Command that starts this program. */
  readonly program: string;
  /** Key of the block that `append` has left open. */
  #open: string | undefined;
  /** Whether the cursor of a terminal is behind text of the open block. */
  #isInLine = false;

  constructor(format: Format, isStream: boolean, program = "a2a") {
    this.program = program;
    this.format = format;
    this.isStream = isStream;
  }

  get isJson(): boolean {
    return this.format === "json";
  }

  /** Prints `Label: value`. Nothing is printed without a value. */
  async field(label: string, value: string | number | undefined): Promise<void> {
    if (value === undefined || value === "") return;
    await this.close();
    await write(`${label}: ${visible(shortened(String(value), maxField))}\n`);
  }

  /**
   * Prints a label, the lines of a text, and a blank line. The lines are indented, so that none of
   * them is blank.
   */
  async block(label: string, text: string): Promise<void> {
    const lines = shortened(text, maxBlock).replace(/\n$/, "").split(/\r?\n/);
    await this.close();
    await write(`${label}:\n${lines.map((line) => `  ${visible(line)}\n`).join("")}\n`);
  }

  /** Prints a blank line. */
  async blank(): Promise<void> {
    await this.close();
    await write("\n");
  }

  /**
   * Prints text that the next call with the same key may append to. The block stays open until
   * something else is printed.
   */
  async append(label: string, key: string, text: string): Promise<void> {
    const lines = shortened(text, maxBlock).split(/\r?\n/).map(visible).join("\n  ");
    const isMore = this.#open === key;
    const start = !isMore ? `${label}:\n  ` : this.#isInLine ? "" : "  ";
    if (!isMore) await this.close();
    this.#open = key;
    this.#isInLine = true;
    await write(start + lines);
  }

  /** Records that the user has entered a line on the terminal, which ends the line of a block. */
  lineEntered(): void {
    this.#isInLine = false;
  }

  /** Ends an open block. */
  async close(): Promise<void> {
    if (this.#open === undefined) return;
    this.#open = undefined;
    const end = this.#isInLine ? "\n\n" : "\n";
    this.#isInLine = false;
    await write(end);
  }

  /** Prints a JSON value, on one line if the result is a stream. */
  async json(value: unknown): Promise<void> {
    const text = JSON.stringify(value, null, this.isStream ? undefined : 2);
    await write(`${visibleLines(text)}\n`);
  }

  /** Prints a line to standard error. */
  note(text: string): void {
    // On a terminal, both streams are on the same lines.
    if (this.#isInLine && process.stdout.isTTY && process.stderr.isTTY) {
      process.stderr.write("\n");
      this.#isInLine = false;
    }
    process.stderr.write(`${visible(shortened(text, maxField))}\n`);
  }

  /** Prints a failure, to standard output as JSON or to standard error as text. */
  async failure({ code, message, hint: general, a2aCode }: Failure): Promise<void> {
    const hint = general?.replaceAll("`a2a ", `\`${this.program} `) ?? null;
    if (this.isJson)
      return this.json({ error: { code, message: shortened(message, maxField), hint, a2aCode } });
    this.note(`Error: ${message.replace(/\.$/, "")} (${code})`);
    if (hint !== null) this.note(`Hint: ${hint}`);
  }
}

/**
 * Returns a string of at most `length` characters. If it is shortened, a note states how much is
 * missing.
 */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const more = (text.length - length).toLocaleString("en");
  return `${text.slice(0, length)}… (${more} more characters; -o json prints all)`;
}

/**
 * Writes to standard output, and waits if its reader is slow, because an endless stream must not
 * fill the memory.
 */
async function write(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.write(text) || stdout.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close", "error"]) stdout.off(event, done);
      resolve();
    };
    for (const event of ["drain", "close", "error"]) stdout.once(event, done);
  });
}
