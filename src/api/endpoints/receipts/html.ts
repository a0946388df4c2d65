import { evidenceInWords, passagesOf } from '@csp/evidence/evidence'
import { fromHex, sha256 } from '@csp/lib/bytes'
import { plainText } from '@csp/lib/text'
import { html, raw } from 'hono/html'
import type { Receipt } from '../../../domain/receipt.ts'
import { receiptFacts, verdictText } from './markdown.ts'

/** A receipt as one file that opens anywhere: no script, nothing loaded, every text escaped. */
export async function receiptHtml(receipt: Receipt): Promise<string> {
  const { question, answer, sentences, sources } = receipt
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await receiptHtmlPolicy()}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${plainText(question)}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1 dir="auto">${plainText(question)}</h1>
<p>${receiptFacts(receipt).join(' | ')}</p>
<div class="text" dir="auto">${plainText(answer)}</div>
<h2>Sentences</h2>
<p>${evidenceInWords(sentences)}</p>
<ol>${sentences.map(
    (one) => html`
<li><p dir="auto">${one.sentence} ${one.sources.map((number) => html`<a href="#source-${number}">[${number}]</a>`)}</p>
<p class="${one.verdict}">${verdictText(one)}</p>
${passagesOf(one).map(({ text, source }) => html`<blockquote dir="auto">${text} [${source}]</blockquote>`)}</li>`,
  )}</ol>
<h2>Sources</h2>
<ol>${sources.map(
    ({ number, url, title, date, hash, passages, text }) => html`
<li id="source-${number}"><p dir="auto"><a href="${url}" rel="noopener noreferrer">${title || url}</a></p>
<p>${url}${date ? ` | published ${date}` : ''}</p>
${hash ? html`<p>SHA-256 of its text: <code>${hash}</code></p>` : ''}
${passages.map((passage) => html`<blockquote dir="auto">${passage}</blockquote>`)}
${text === undefined ? '' : html`<details><summary>Its text, as it was read</summary><div class="text" dir="auto">${plainText(text)}</div></details>`}</li>`,
  )}</ol>
</main>
</body>
</html>
`
  return String(await page)
}

/** Nothing may run or be loaded but the style of the file itself. */
export async function receiptHtmlPolicy(): Promise<string> {
  const digest = btoa(String.fromCharCode(...fromHex(await sha256(style))))
  return `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`
}

const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; }
blockquote { border-inline-start: 0.25rem solid; margin-inline: 0; padding-inline-start: 1rem; }
.found, .partly, .not-found, .not-read { font-weight: bold; }
`
