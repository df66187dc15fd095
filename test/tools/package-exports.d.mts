/** Returns the exports of the package: the API, the kit, the errors, and the runtime modules that outputs import. */
export function packageExports(): object;
