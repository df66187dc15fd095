import yargs, { type Argv } from "yargs";
import { InputError } from "../../support/diagnostics.js";
import { packageVersion } from "../../support/package-folder.js";
import { isGroup, type Command, type Group, type Program } from "./program.js";

/** Shells for which completions are available. */
const shells = ["bash", "zsh", "fish"];

/** Prints the help of a command or a group, or completions of a command line. */
export async function printHelp<Context>(
  program: Program<Context>,
  args: readonly string[],
): Promise<void> {
  await parserOf(program, args).parseAsync();
}

/** Prints the completion script of a shell. */
export function printCompletion<Context>(program: Program<Context>, shell?: string): void {
  if (shell !== undefined && !shells.includes(shell))
    throw new InputError({
      message: `completion does not accept "${shell}"`,
      hint: `Use one of the shells ${shells.join(", ")}; the default is the shell in SHELL`,
    });
  if (shell !== undefined) {
    // The package reads the name of the shell from the environment.
    process.env["SHELL"] = shell;
    delete process.env["ZSH_NAME"];
  }
  parserOf(program, []).showCompletionScript();
}

/** Creates the parser of the package, which prints help and completions from the tables. */
function parserOf<Context>(program: Program<Context>, args: readonly string[]): Argv {
  const { name, describe, width, epilogue = "" } = program;
  return withCommands(yargs(args), program)
    .scriptName(name)
    .usage(`$0 <command>\n\n${describe}`)
    .wrap(width)
    .version(packageVersion())
    .alias("version", "v")
    .help()
    .alias("help", "h")
    .epilogue(epilogue)
    .exitProcess(false);
}

function withCommands<Context>(parser: Argv, { commands }: Group<Context>): Argv {
  for (const [name, entry] of Object.entries(commands)) {
    if (isGroup(entry)) parser.command(name, entry.describe, (inner) => withCommands(inner, entry));
    else {
      const form = [name, ...Object.keys(entry.words ?? {})].join(" ");
      parser.command(form, entry.describe, (inner) => withOptions(inner, entry));
    }
  }
  return parser;
}

function withOptions<Context>(parser: Argv, { words = {}, options }: Command<Context>): Argv {
  for (const [form, describe] of Object.entries(words))
    parser.positional(form.replace(/\W+/g, ""), {
      type: "string",
      array: form.endsWith("..]"),
      describe,
    });
  return parser.options(options);
}
