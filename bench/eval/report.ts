import { listPriceOf, pricesAsOf } from '../../src/domain/claude-models.ts'
import { summarise } from '../statistics.ts'
import { type Contender, type EndReason, nameOf, type Trial } from './evaluate.ts'
import { type Difference, mean, pairedDifference, type Share, shareOf } from './statistics.ts'

type Named = Pick<Contender, 'backend' | 'strategy'>

/** The trials of an evaluation, whole or cut off, as tables in Markdown. */
export function report(contenders: readonly Named[], trials: readonly Trial[], end: EndReason): string {
  const groups = contenders
    .map((contender) => trials.filter((trial) => nameOf(trial) === nameOf(contender)))
    .filter(([first]) => first !== undefined)
  const [first = [], ...others] = groups
  const questions = new Set(trials.map(({ question }) => question)).size
  const searches = trials.reduce((total, trial) => total + trial.searches, 0)
  return `${questions} questions, ${searches} searches; end: ${end}.

${table(groups.map(rowOf))}

${table(others.map((other) => differenceOf(first, other)))}

Shares with their 95 % interval (Wilson); differences over the same questions (Newcombe). Times are those of whole replies, without failures. List prices of ${pricesAsOf}.
`
}

type Row = Readonly<Record<string, string>>

/** One backend with one strategy. */
function rowOf(trials: readonly Trial[]): Row {
  const answered = trials.filter(({ failure }) => failure === undefined)
  const { median, p90 } = summarise(answered.map(({ ms }) => ms))
  const rows = sum(answered, (trial) => trial.rows)
  const part = (value: (trial: Trial) => number) => percent(rows > 0 ? sum(answered, value) / rows : undefined)
  const known = (value: (trial: Trial) => number) => mean(answered.map(value)) || undefined
  const hits = (count: number) =>
    shareOf(trials.flatMap(({ goldenRank: rank }) => (rank === undefined ? [] : rank > 0 && rank <= count)))
  const right = shareOf(trials.flatMap(({ isRight }) => isRight ?? []))
  const attempted = shareOf(trials.flatMap(({ isAttempted }) => isAttempted ?? []))
  // SimpleQA's F: 2ab / (a + b) of right/all and right/attempted.
  const fScore = right && attempted && (2 * right.hits) / (right.of + attempted.hits)
  const price = mean(answered.flatMap((trial) => listPriceOf(trial.model, trial) ?? []))
  return {
    Strategy: nameOf(trials[0] ?? { backend: '', strategy: 'results' }),
    n: String(trials.length),
    'Evidence@5': withInterval(shareOf(trials.map(({ hasEvidence }) => hasEvidence))),
    'Hit@1 / 5 / 10': [1, 5, 10].map((count) => percent(hits(count)?.share)).join(' / '),
    Right: withInterval(right),
    Attempted: fraction(attempted),
    F: percent(fScore),
    Grounded: fraction(shareOf(trials.flatMap(({ isGrounded }) => isGrounded ?? []))),
    Excerpt: part(({ rowsWithExcerpt }) => rowsWithExcerpt),
    Date: part(({ rowsWithDate }) => rowsWithDate),
    'p50 / p90': answered.length > 0 ? `${seconds(median)} / ${seconds(p90)}` : none,
    'Model calls': known(({ modelCalls }) => modelCalls)?.toFixed(1) ?? none,
    'Tokens in / out': `${whole(known(({ inputTokens }) => inputTokens))} / ${whole(known(({ outputTokens }) => outputTokens))}`,
    'List price': price === undefined ? none : `$${price.toFixed(3)}`,
    Searches: String(sum(trials, ({ searches }) => searches)),
    Failed: String(trials.length - answered.length),
  }
}

/** How one contender differs from the first, over the questions that both were asked. */
function differenceOf(first: readonly Trial[], second: readonly Trial[]): Row {
  const pairs = first.flatMap((a) => {
    const b = second.find(({ question }) => question === a.question)
    return b ? [[a, b] as const] : []
  })
  const graded = pairs.flatMap(([a, b]) =>
    a.isRight === undefined || b.isRight === undefined ? [] : [[a.isRight, b.isRight] as const],
  )
  const [name, against] = [second, first].map(([one]) => (one ? nameOf(one) : ''))
  return {
    Difference: `${name} − ${against}`,
    'Evidence@5': points(pairedDifference(pairs.map(([a, b]) => [a.hasEvidence, b.hasEvidence]))),
    Right: points(pairedDifference(graded)),
  }
}

const none = '–'

function table(rows: readonly Row[]): string {
  const titles = Object.keys(rows[0] ?? {})
  const lines = [titles, titles.map(() => '---'), ...rows.map((row) => titles.map((title) => row[title] ?? none))]
  return rows.length > 0 ? lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') : ''
}

function withInterval(share: Share | undefined): string {
  return share ? `${percent(share.share)} (${Math.round(share.low * 100)}–${Math.round(share.high * 100)})` : none
}

function fraction(share: Share | undefined): string {
  return share ? `${share.hits}/${share.of}` : none
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

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function whole(value: number | undefined): string {
  return value === undefined ? none : String(Math.round(value))
}

function sum(trials: readonly Trial[], value: (trial: Trial) => number): number {
  return trials.reduce((total, trial) => total + value(trial), 0)
}
