import type { IncomingMessage, ServerResponse } from "node:http";

/** What is used of an Express application. */
export interface ExpressApp {
  (request: IncomingMessage, response: ServerResponse): void;
  use(path: string, handler: unknown): void;
}

// The servers of the SDK over HTTP are Express routers. It comes without types, and so do they.
const name = "express" as string;

/** Makes an Express application, which the HTTP servers of the SDK need. Rejects where Express is not installed. */
export async function expressApp(): Promise<ExpressApp> {
  const { default: express } = (await import(name)) as { readonly default: () => ExpressApp };
  return express();
}

/** Whether Express is installed. */
export const hasExpress: boolean = await expressApp().then(
  () => true,
  () => false,
);
