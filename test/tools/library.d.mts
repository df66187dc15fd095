import type { Plugin } from "esbuild";

/** Lets esbuild bundle programs with the sources of the library, or with the compiled library. */
export declare function library(options?: { readonly compiled?: boolean }): Plugin;
