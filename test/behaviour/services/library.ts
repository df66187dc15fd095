import { join } from "node:path";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import type { NodeListener } from "../../../library/runtime/http/adapters/node.js";
import type { WireServer } from "../../../library/runtime/bindings/http2/server.js";
import type { A2AError } from "../../../library/runtime/protocol/error.js";
import { findSource, generateFrom, libraryOptions, writeTo } from "../../support/output.js";

/** The request of each rpc. */
export interface Lookup {
  readonly name?: string;
}

/** The response of each rpc: the request as the service has received it. */
export interface Seen {
  readonly method?: string;
  readonly call?: Lookup;
  readonly titles?: readonly string[];
}

/** The methods of the client that tests call. */
export interface LibraryClient {
  getBook(request: Lookup): Promise<Seen>;
  getShelf(request: Lookup): Promise<Seen>;
  search(request: object): Promise<Seen>;
  watchBook(request: Lookup): AsyncIterable<Seen>;
}

interface ConnectOptions {
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

type Method = (call: Lookup) => unknown;
type ErrorClass = new (message: string) => A2AError;

/** The exports of the output that tests use. */
export interface Library {
  readonly serveLibrary: (options: {
    readonly service: Readonly<Record<string, Method>>;
  }) => ServedService;
  readonly fetchHandler: (service: ServedService) => (request: Request) => Promise<Response>;
  readonly connectLibrary: (url: string, options: ConnectOptions) => LibraryClient;
  readonly createServiceServer: (service: ServedService) => WireServer;
  readonly nodeListener: (service: ServedService) => NodeListener;
  readonly clientErrors: { readonly classes: readonly ErrorClass[] };
}

const path = join("test", "fixtures", "services", "library.proto");

/** Returns the modules of the output of library.proto. */
export async function loadLibrary(): Promise<Library> {
  const generated = await generateFrom(findSource(path), libraryOptions);
  const folder = writeTo(`library-${String(process.pid)}`, generated);
  const files = ["index", "server/http2", "server/node"];
  const modules = files.map((file) => import(join(folder, `${file}.ts`)) as Promise<object>);
  return Object.assign({}, ...(await Promise.all(modules))) as Library;
}

const methods = [
  "getItem",
  "getShelf",
  "openShelf",
  "listBooks",
  "createBook",
  "getBook",
  "replaceBook",
  "updateBook",
  "getTitle",
  "addTags",
  "getFile",
  "archiveFile",
  "getFacts",
  "search",
  "getSpecialShelf",
];

/** Returns a service whose methods respond with their requests. */
export function libraryService({ serveLibrary, clientErrors }: Library): ServedService {
  const seen = methods.map((method) => [
    method,
    (call: Lookup): Seen => ({ method, call, titles: ["first", "second"] }),
  ]);
  const failed = (name: string): A2AError => {
    const Named = clientErrors.classes.find((candidate) => candidate.name === name);
    if (Named === undefined) throw new Error(`${name} is not an error`);
    return new Named(`It is ${name}`);
  };
  return serveLibrary({
    service: {
      ...(Object.fromEntries(seen) as Record<string, Method>),
      deleteBook: () => ({}),
      async *watchBook(call) {
        await Promise.resolve();
        if (call.name?.endsWith("/missing") === true) throw failed("NotFoundError");
        yield { method: "watchBook", call };
        if (call.name?.endsWith("/lost") === true) throw failed("DataLossError");
        yield { method: "watchBook" };
      },
      fail: ({ name = "" }) => {
        throw failed(name);
      },
    },
  });
}
