import { fromNow } from '@csp/lib/times'
import { formatReport } from '../../../api/endpoints/usage.ts'
import { listPriceOf, pricesAsOf } from '../../../domain/claude-models.ts'
import type { Spending } from '../../../executor/layers/metering/ledger.ts'
import { pagesName } from '../../../executor/layers/metering/page-tally.ts'
import { type DayReport, reportUsage, type UsageReport } from '../../../executor/layers/metering/usage-report.ts'
import { requireStateFolder } from '../../config/formats.ts'
import type { Config } from '../../config/settings.ts'
import { createAccounts } from '../../server/accounts.ts'
import { prettyJson, tableLines } from '../../shell/printed.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'

/** `csp status --days N`: what was spent, from the ledger, without a running server. */
export async function showUsage({ shell, loaded }: Call, days: number, isJson: boolean): Promise<number> {
  requireStateFolder(loaded.config.stateDir)
  const { budget } = createAccounts(loaded.config, () => {})
  const report = await reportUsage(budget, Date.now(), days)
  const { problem } = budget.ledger
  if (problem) shell.errors.write(wrapped(`The ledger could not be read: ${safeLine(problem)}\n`, shell.errors))
  shell.output.write(isJson ? prettyJson(jsonOf(report, loaded.config)) : tableOf(report, loaded.config))
  return problem ? exitCodes.failed : exitCodes.done
}

function jsonOf(report: UsageReport, config: Config) {
  const { days, ...rest } = formatReport(report)
  const priced = days.map((day, index) => {
    const { sum, byBackend } = pricesOf(report.days[index]?.byBackend ?? {}, config)
    const backends = Object.entries(day.by_backend).map(([name, spent]) => [
      name,
      { ...spent, list_price_usd: inMillionths(byBackend[name]) },
    ])
    return { ...day, list_price_usd: inMillionths(sum), by_backend: Object.fromEntries(backends) }
  })
  const what = { object: 'usage', key: null, time_zone: 'UTC', prices_as_of: pricesAsOf }
  return { ...what, ...rest, days: priced }
}

/** Without the last digits of a sum of fractions. */
function inMillionths(price: number | undefined): number | null {
  return price === undefined ? null : Math.round(price * 1e6) / 1e6
}

function tableOf({ days, limits, warning }: UsageReport, config: Config): string {
  const spent = days.filter(({ total }) => total.requests > 0 || total.pages)
  const rows = spent.flatMap((day) => rowsOf(day, config))
  const head = ['', 'requests', 'failures', 'searches', 'tokens in', 'tokens out', 'pages', 'list price']
  const table =
    rows.length > 0 ? tableLines([head, ...rows], { numbersFrom: 1 }) : [`Nothing was spent in ${days.length} days.`]
  const states = limits.map(
    ({ kind, limit, used, left }) =>
      `${used} of ${limit} ${kind} of today are used, ${left} left; the UTC day ends ${fromNow(endOfDay())}`,
  )
  const isPriced = rows.some((row) => row.at(-1)?.includes('$'))
  const note = `List price (${pricesAsOf}): an upper bound of the API cost. Not charged on a subscription.`
  const notes = isPriced ? ['', note] : []
  return `${[...table, ...notes, ...(states.length > 0 ? ['', ...states] : []), ...(warning ? ['', warning] : [])].join('\n')}\n`
}

function rowsOf({ day, total, byCaller, byBackend }: DayReport, config: Config): readonly (readonly string[])[] {
  const inner = (groups: Readonly<Record<string, Spending>>) =>
    Object.entries(groups).map(([name, spent]) => cells(`  ${safeLine(name)}`, spent))
  const { [pagesName]: _, ...others } = byBackend
  const prices = pricesOf(others, config)
  const backends = Object.entries(others).map(([name, spent]) => [
    ...cells(`  ${safeLine(name)}`, spent),
    dollars(prices.byBackend[name]),
  ])
  const hasUpstream = Object.keys(byBackend).some((name) => name.startsWith('gateway/'))
  const first = [...cells(day, total), dollars(prices.sum)]
  return [first, ...inner(byCaller), ...(backends.length > 1 || hasUpstream ? backends : [])]
}

function cells(name: string, spent: Spending): readonly string[] {
  const { requests, failures, searches, inputTokens, outputTokens, pages = 0 } = spent
  return [name, ...[requests, failures, searches, inputTokens, outputTokens, pages].map(String)]
}

/** What each backend of a day cost, and all that have a price. */
function pricesOf(spending: Readonly<Record<string, Spending>>, config: Config) {
  const byBackend: Readonly<Record<string, number | undefined>> = Object.fromEntries(
    Object.entries(spending).map(([name, spent]) => [name, priceOf(name, spent, config)]),
  )
  const known = Object.values(byBackend).filter((price) => price !== undefined)
  return { byBackend, sum: known.length > 0 ? known.reduce((all, price) => all + price, 0) : undefined }
}

/**
 * What a backend's searches and tokens cost by the vendor's list, if the model that writes did it all; `undefined` if
 * the list has no such backend.
 */
function priceOf(backend: string, spent: Spending, { model }: Config): number | undefined {
  const names = backend.split(', ')
  if (names.includes('messages')) return listPriceOf(model, spent)
  return names.includes('claude') ? listPriceOf(model, spent) : undefined
}

function dollars(price: number | undefined): string {
  if (price === undefined || price === 0) return ''
  return price < 0.01 ? '< $0.01' : `$${price.toFixed(2)}`
}

function endOfDay(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString()
}
