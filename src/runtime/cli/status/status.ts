import { existsSync } from 'node:fs'
import { isObject } from '@csp/lib/json'
import { momentOf, withMoments } from '@csp/lib/times'
import { withoutLastSlashes } from '@csp/lib/url'
import { z } from 'zod'
import { daysKept } from '../../../executor/layers/metering/ledger.ts'
import { serversHere, tokenAt } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { plainAddress } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { reachable, urlOf } from '../../server/addresses.ts'
import { openInBrowser } from '../../shell/browser.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import {
  type Call,
  defineCommand,
  exitCodes,
  type Invocation,
  type OptionDefinitions,
  wholeNumber,
} from '../command.ts'

const definitions = {
  days: {
    hint: 'N',
    help: `Show what was spent in the last N days, 1 to ${daysKept}, by key and by backend or model server`,
    parse: wholeNumber(1, daysKept),
  },
  models: { help: 'Show what each model name stands for, and what the gateway has learned about models' },
  open: { help: `Open the page of csp in the browser of this machine; ${csp} open does the same` },
  json: { help: 'Print the reply of /health; with --days, that of /v1/usage with list prices' },
} satisfies OptionDefinitions

/** `csp status`: the health of a running csp at a glance. */
export const status = defineCommand({
  name: 'status',
  usage: '[URL] [FLAGS]',
  details:
    'Without URL it shows the csp of this machine, which needs no key. To another csp it sends the first of CSP_API_KEYS. Exit code 0 if searches work, 3 if Claude is signed out, 4 if a limit allows no new searches, otherwise 1. --days and --models need no running csp. Days are UTC days. Cached answers cost nothing, and pages cost no search.',
  examples: [
    `${csp} status`,
    `${csp} open`,
    `${csp} status --days 7`,
    `${csp} status --models`,
    `${csp} status https://csp-edge.example.workers.dev`,
  ],
  options: definitions,
  arguments: { minimum: 0, maximum: 1 },
  run: runStatus,
})

async function runStatus(call: Invocation<typeof definitions>): Promise<number> {
  const { days, models, json } = call.options
  if (days === undefined && !models) return showHealth(call)
  if (call.arguments.length > 0 || (days !== undefined && models))
    throw new UsageError(`Usage: ${csp} status [URL], or ${csp} status --days N, or ${csp} status --models`)
  if (days === undefined) return (await import('./show-models.ts')).showModels(call, json)
  return (await import('./show-usage.ts')).showUsage(call, days, json)
}

async function showHealth(call: Invocation<typeof definitions>): Promise<number> {
  const {
    shell,
    loaded,
    arguments: [given],
    options,
  } = call
  const { config } = loaded
  const { servers, chosen } = await serversHere(loaded)
  // A csp that was started with other flags has written down where it is.
  const [own] = given === undefined ? chosen : []
  const url = withoutLastSlashes(given ?? reachable(own?.url ?? urlOf(config.host[0] ?? '127.0.0.1', config.port)))
  if (!plainAddress.test(url))
    throw new UsageError(`${csp} status: ${url} is not an address such as http://127.0.0.1:52480.`)
  const token = own?.token ?? tokenAt(url, servers)
  const atLogin = given === undefined ? await startAtLoginOf(call) : undefined
  const reply = await ask(url, token ?? config.apiKeys[0])
  const found = healthSchema.safeParse(reply).data
  if (!found) {
    const start = atLogin
      ? `${csp} restart starts it, ${csp} logs shows why it does not run.`
      : `Start csp with: ${csp} start`
    const silent = `Nothing answers at ${url}.${given === undefined ? ` ${start}` : ''}`
    const strange = reply === 'silent' ? `What listens at ${url} does not answer.` : `That server is not csp: ${url}`
    const said = reply === undefined ? silent : strange
    const running = given === undefined ? servers.map((server) => `csp runs at ${server.url}.`) : []
    const lines = [said, ...(atLogin ? [atLoginText(atLogin)] : []), ...running]
    shell.errors.write(wrapped(linesText(lines), shell.errors))
    return exitCodes.failed
  }
  if (options.open) return openPage(url, shell)
  const whole = atLogin && isObject(reply) ? { ...reply, at_login: atLogin } : reply
  const others = given === undefined ? servers.filter((server) => server !== own) : []
  const besides = others.map(
    ({ url: other, port }) => `Also running: csp at ${other}. ${csp} status --port ${port} shows it.`,
  )
  const text = () => glance(url, found) + (atLogin ? `  ${atLoginText(atLogin)}\n` : '') + linesText(besides)
  shell.output.write(options.json ? prettyJson(whole) : wrapped(text(), shell.output))
  if (found.searches?.status === 'limited') return exitCodes.limited
  if (found.searches?.status === 'signed-out') return exitCodes.signedOut
  return found.status === 'down' ? exitCodes.failed : exitCodes.done
}

/** The address is printed where no browser can be started. */
async function openPage(url: string, { environment, output }: Call['shell']): Promise<number> {
  const isOpened = await openInBrowser(url, environment)
  output.write(isOpened ? `The page is open: ${url}\n` : `No browser was found here. Open ${url} in one.\n`)
  return exitCodes.done
}

/** How csp starts at login; `undefined` if it does not. */
async function startAtLoginOf({ shell }: Call) {
  const manager = ownServiceManager(shell.environment)
  if (!manager || !existsSync(manager.file)) return undefined
  const { isEnabled, state } = await manager.state()
  return { manager: manager.name, file: manager.file, enabled: isEnabled, state: state ?? null }
}

type StartAtLogin = NonNullable<Awaited<ReturnType<typeof startAtLoginOf>>>

function atLoginText({ manager, file, enabled, state }: StartAtLogin): string {
  const how = enabled ? `started by ${manager}` : `not started, but known to ${manager}`
  return safeLine(`at login: ${how}${state ? `, which says: ${state}` : ''} (${file})`)
}

/** `undefined`: nothing is there. `silent`: it does not answer in time. `null`: a reply that is not JSON. */
async function ask(url: string, key: string | undefined): Promise<unknown> {
  try {
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
    const response = await fetch(`${url}/health`, { headers, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    return await response.json().catch(() => null)
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : undefined
  }
}

const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  searches: z.object({ status: z.string() }).nullish(),
  rows: z
    .array(
      z.object({
        name: z.string(),
        text: z.string(),
        details: z.array(z.string()).nullish(),
        when: z.object({ label: z.string(), at: z.string() }).nullish(),
      }),
    )
    .nullish(),
  problem: z.string().nullish(),
})

type Health = z.infer<typeof healthSchema>

function glance(url: string, health: Health): string {
  const { searches, problem, rows } = health
  const how = searches?.status === 'limited' ? 'limited' : health.status
  // That says its line itself.
  const head = searches?.status === 'signed-out' ? [] : [how]
  const [first, ...others] = rows ?? []
  const shown = others.flatMap(({ name, text, details, when }) => {
    const moment = when ? ` ${when.label} at ${momentOf(when.at)}.` : ''
    return [`  ${safeLine(`${name}: ${text}${moment}`)}`, ...(details ?? []).map((one) => `    ${safeLine(one)}`)]
  })
  const lines = [
    safeLine(`csp at ${url}: ${[...head, ...(first ? [withMoments(first.text)] : [])].join('. ')}`),
    ...shown,
    ...(problem ? [`  ${safeLine(problem)}`] : []),
    ...(rows || problem ? [] : ['  Set CSP_API_KEYS to its key to see more.']),
  ]
  return linesText(lines)
}
