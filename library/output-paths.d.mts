/** Returns the path in an output of a module of the library. Paths are without extension. */
export declare function outputPathOf(module: string): string;

/** Returns the modules of the library, by their paths in an output. */
export declare function libraryModules(root: string): Map<string, string>;

/** Returns the text of a module with the specifiers that it has in an output. */
export declare function withOutputPaths(module: string, text: string): string;
