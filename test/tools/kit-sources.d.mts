import type { Plugin } from "esbuild";

export declare function kitSources(options?: { readonly version?: string; readonly prefersOutput?: boolean }): Plugin;
