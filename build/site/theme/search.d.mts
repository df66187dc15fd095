import type { SearchOptions } from "minisearch";

/** Options of the search: the words of a question, and what each page counts for. */
export declare const searchOptions: SearchOptions;
