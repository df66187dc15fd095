import { markup } from "./markup.js";

/** Style of the HTML report. The levels of rules differ in color, in light and in dark mode. */
export const style = markup`:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;
--page:#fff;--text:#1f1f1f;--must:#c01c1c;--should:#8f5200;--may:#1a5fb4;--none:#5f6368;
--good:#1a6b2d}
@media (prefers-color-scheme:dark){
:root{--page:#121212;--text:#e8e8e8;--must:#ff8a80;--should:#ffb74d;--may:#90caf9;--none:#b0b5bb;
--good:#81c995}}
body{background:var(--page);color:var(--text);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1,p,li,summary{overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse}
caption{text-align:left;font-size:.85rem}
.passed{color:var(--good)}.failed{color:var(--must)}
.unmet{border-left:.3rem solid var(--must);padding:.2rem .8rem}
th,td{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #8886;white-space:nowrap}
th:first-child{text-align:left;padding-left:0}
@media (max-width:40rem){body{margin:1rem auto}h1{font-size:1.6rem}h2{font-size:1.25rem}
table{font-size:.75rem}th,td{padding:.2rem .25rem}}
details{border-left:.3rem solid var(--none);margin:.5rem 0;padding:.2rem .8rem}
details details{border-left-width:1px}
.must{border-color:var(--must)}.should{border-color:var(--should)}.may{border-color:var(--may)}
.expected{border-color:var(--none)}
b{font-size:.8em;padding:0 .5em;border:1px solid;border-radius:1em}
b.must{color:var(--must)}b.should{color:var(--should)}b.may{color:var(--may)}
summary{cursor:pointer}
small{display:block}
h3{margin:.5rem 0 0;font-size:1rem}
h4{margin:.6rem 0 .2rem;font-size:.85rem}
pre{margin:0;font-size:.85rem;overflow:auto;max-height:24rem;padding:.6rem;background:#8882;
white-space:pre-wrap;overflow-wrap:anywhere}`;
