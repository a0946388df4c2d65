import { pricesAsOf } from '../domain/claude-models.ts'
import { counted } from '../lib/text.ts'
import { nameOf } from './contender.ts'
import type { EndReason } from './evaluate.ts'
import type { Comparison, Report, Summary } from './report.ts'
import type { Difference, Share } from './statistics.ts'

/** The report as Markdown, to be pasted. */
export function tableOf({ summaries, comparisons, end, questions, searches }: Report): string {
  const rows = summaries.filter(({ trials }) => trials > 0)
  const differences = comparisons.filter(({ evidence }) => evidence !== undefined)
  const parts = [
    `${counted(questions, 'question')}, ${counted(searches, 'search', 'searches')}.${endings[end]}`,
    rows.length > 0 && markdown(columns, rows),
    differences.length > 0 && markdown(differenceColumns, differences),
    `Shares with their 95 % interval (Wilson); differences over the same questions (Newcombe). Times are those of whole replies, without failures. List prices of ${pricesAsOf}.`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const endings: Readonly<Record<EndReason, string>> = {
  complete: '',
  'max-searches': ' Stopped at --max-searches.',
  limit: ' Stopped since a usage limit is near or reached.',
  interrupted: ' Stopped before the end.',
  failed: ' Stopped by a failure.',
}

type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

const columns: Columns<Summary> = {
  Strategy: nameOf,
  n: ({ trials }) => String(trials),
  'Evidence@5': ({ evidence }) => percentWithInterval(evidence),
  'Hit@1 / 5 / 10': ({ hits }) => (hits.some(Boolean) ? hits.map((hit) => percent(hit?.share)).join(' / ') : none),
  Right: ({ right }) => percentWithInterval(right),
  Attempted: ({ attempted }) => (attempted ? `${attempted.hits}/${attempted.of}` : none),
  F: ({ fScore }) => percent(fScore),
  Grounded: ({ grounded }) => (grounded ? `${grounded.hits}/${grounded.of}` : none),
  Excerpt: ({ withExcerpt }) => percent(withExcerpt),
  Date: ({ withDate }) => percent(withDate),
  p50: ({ p50 }) => seconds(p50),
  p90: ({ p90 }) => seconds(p90),
  p95: ({ p95 }) => seconds(p95),
  'Model calls': ({ modelCalls }) => modelCalls?.toFixed(1) ?? none,
  'Tokens in / out': ({ inputTokens, outputTokens }) =>
    inputTokens === undefined && outputTokens === undefined ? none : `${whole(inputTokens)} / ${whole(outputTokens)}`,
  'List price': ({ listPrice }) => (listPrice === undefined ? none : `$${listPrice.toFixed(3)}`),
  Searches: ({ searches }) => String(searches),
  Failed: ({ failures }) => String(failures),
}

const differenceColumns: Columns<Comparison> = {
  Difference: ({ name, against }) => `${name} − ${against}`,
  'Evidence@5': ({ evidence }) => points(evidence),
  Right: ({ right }) => points(right),
}

const none = '–'

function markdown<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  // Not every set names pages, and lists have no answers.
  const shown = Object.entries(columns).filter(([, cell]) => rows.some((row) => cell(row) !== none))
  const titles = shown.map(([title]) => title)
  const cells = rows.map((row) => shown.map(([, cell]) => cell(row)))
  const widths = titles.map((title, index) => Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(titles), rule, ...cells.map(line)].join('\n')
}

function percentWithInterval(share: Share | undefined): string {
  return share ? `${percent(share.share)} (${Math.round(share.low * 100)}–${Math.round(share.high * 100)})` : none
}

function percent(part: number | undefined): string {
  return part === undefined ? none : `${Math.round(part * 100)} %`
}

/** Percentage points, with the sign. */
function points(difference: Difference | undefined): string {
  if (!difference) return none
  const signed = (value: number) => `${value >= 0 ? '+' : '−'}${Math.abs(Math.round(value * 100))}`
  return `${signed(difference.difference)} (${signed(difference.low)} to ${signed(difference.high)})`
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? none : `${(ms / 1000).toFixed(1)} s`
}

function whole(value = 0): string {
  return String(Math.round(value))
}
