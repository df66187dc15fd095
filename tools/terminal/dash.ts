/** Replaces `-` in the arguments of the parser, which ignores a single dash. */
const standIn = "/dev/stdin/-";

/** Returns the arguments for the parser. */
export function withoutDashes(args: readonly string[]): string[] {
  return args.map((argument) => (argument === "-" ? standIn : argument));
}

/** Returns a value of the parser as it was in the arguments. */
export function withDash<T>(value: T): T | "-" {
  return value === standIn ? "-" : value;
}
