/**
 * A run as one HTML page. It asks nobody for anything: no script, no font, no picture, and a policy that forbids all of
 * them, so that text which somebody planted in a run stays text.
 */
import { grouped } from "../../../core/text.ts";
import type { Account, Entry } from "./entry.ts";

export function htmlPage(title: string, accounts: readonly Account[], made: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${accounts.map(section).join("\n")}
</main>
<footer>${escaped(made)}</footer>
</body>
</html>
`;
}

function section(account: Account): string {
  const { threadId, directive, model, status, from, until, turns, tokens, spend, damage } = account;
  const facts = [
    ["directive", directive],
    ["model", model],
    ["status", status],
    ["from", from],
    ["until", until],
    ["turns", String(turns)],
    ["tokens", grouped(tokens)],
    ["spend", spend === null ? "—" : `$${spend}`],
  ];
  const rows = facts.map(([name = "", value = ""]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  const broken =
    damage === null
      ? ""
      : `<p class="bad">Damaged: ${escaped(damage)}. What follows is what could be read.</p>`;
  return `<section>
<h1>${escaped(threadId)}</h1>
<dl>${rows.join("")}</dl>
${broken}
<ol>
${account.entries.map(item).join("\n")}
</ol>
</section>`;
}

function item({ ts, turn, word, text, tone, body }: Entry): string {
  const when = `<time datetime="${escaped(ts)}">${escaped(ts.slice(11, 19))}</time>`;
  const where = turn === undefined ? "" : `<span class="turn">turn ${turn}</span>`;
  const head = `${when} ${where} <b class="${tone}">${escaped(word)}</b>`;
  if (!body) return `<li>${head} ${escaped(text)}</li>`;
  const full = `<pre class="${body.kind}">${escaped(body.text)}</pre>`;
  if (body.kind === "said") return `<li>${head}${full}</li>`;
  return `<li><details><summary>${head} ${escaped(text)}</summary>${full}</details></li>`;
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => SIGNS[sign] ?? "");
}

const STYLE = `
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
h1{font-size:1.2rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
ol{list-style:none;padding:0}li{border-top:1px solid #8884;padding:.4rem 0;overflow-wrap:anywhere}
time,.turn{opacity:.7;font-variant-numeric:tabular-nums}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0 0;padding:.5rem;border-radius:4px;background:#8881}
pre.said{font:inherit}
.good{color:#1a7f37}.bad{color:#cf222e}.loud{color:#9a6700}
@media (prefers-color-scheme:dark){.good{color:#3fb950}.bad{color:#f85149}.loud{color:#d29922}}
footer{opacity:.7;margin-top:2rem}
`;
