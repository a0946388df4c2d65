import { z } from 'zod'
import { tokenAt } from '../../background/running-executor.ts'
import { runningServers } from '../../background/running-servers.ts'
import { isEverywhere, urlOf } from '../../bun/server.ts'
import { plainAddress } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { asCalled } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { fromNow, spanOf, timeOf } from '../times.ts'

const definitions = { json: { help: 'Print the reply of /health' } } satisfies OptionDefinitions

/** `csp status`: the health of a running csp at a glance. */
export const status = defineCommand({
  name: 'status',
  usage: '[URL] [FLAGS]',
  summary: 'Show the health of a running csp: backends, queue, budget, tunnel',
  details:
    'Without URL it asks the csp of this machine. It needs no key there; elsewhere it sends the first of CSP_API_KEYS.',
  examples: ['csp status', 'csp status --json', 'csp status https://csp-edge.example.workers.dev'],
  options: definitions,
  arguments: { minimum: 0, maximum: 1 },
  run: runStatus,
})

async function runStatus({
  shell,
  loaded: { config },
  arguments: [given],
  options,
}: Invocation<typeof definitions>): Promise<number> {
  const url = (given ?? urlOf(isEverywhere(config.host) ? '127.0.0.1' : config.host, config.port)).replace(/\/+$/, '')
  if (!plainAddress.test(url))
    throw new UsageError(`csp status: ${url} is not an address such as http://127.0.0.1:52480.`)
  const token = tokenAt(url, await runningServers(config.stateDir))
  const reply = await ask(url, token ?? config.apiKeys[0])
  const found = healthSchema.safeParse(reply).data
  if (!found) {
    const silent = `Nothing answers at ${url}.${given === undefined ? ' csp start starts one there.' : ''}`
    const strange = reply === 'silent' ? `What listens at ${url} does not answer.` : `That server is not csp: ${url}`
    const said = reply === undefined ? silent : strange
    shell.errors.write(`${asCalled(said, shell.program)}\n`)
    return exitCodes.failed
  }
  shell.output.write(options.json ? `${JSON.stringify(reply, null, 2)}\n` : glance(url, found))
  return found.status === 'down' ? exitCodes.failed : exitCodes.done
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

const count = z.number()

const limitWindow = z.object({
  status: z.string().nullish(),
  window: z.string().nullish(),
  utilization: count.nullish(),
  resets_at: z.string().nullish(),
})

const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string().optional(),
  uptime_seconds: count.optional(),
  backends: z
    .array(
      z.object({
        name: z.string(),
        ready: z.boolean(),
        problem: z.string().nullish(),
        engines: z.record(z.string(), z.string()).nullish(),
        queue: z.object({ running: count, waiting: count }).nullish(),
        rate_limit: z
          .object({ ...limitWindow.shape, status: z.string(), windows: z.array(limitWindow).nullish() })
          .nullish(),
        last_error: z.object({ message: z.string(), at: z.string() }).nullish(),
      }),
    )
    .optional(),
  refused_proxy: z.object({ at: z.string(), problem: z.string() }).nullish(),
  problem: z.string().optional(),
  budget: z
    .object({
      limits: z.array(z.object({ kind: z.string(), window: z.string(), limit: count, used: count })).nullish(),
      warning: z.string().nullish(),
      problem: z.string().nullish(),
    })
    .nullish(),
  gateway: z
    .array(
      z.object({ name: z.string(), ready: z.boolean(), problem: z.string().nullish(), cached_share: count.nullish() }),
    )
    .nullish(),
  tunnel: z
    .object({
      url: z.string(),
      home: z.string(),
      connected: z.boolean(),
      connected_since: z.string().nullish(),
      round_trip_ms: count.nullish(),
      running: count,
      served: count,
      last_error: z.string().nullish(),
    })
    .nullish(),
})

type Health = z.infer<typeof healthSchema>

function glance(url: string, health: Health): string {
  const { status: how, version, uptime_seconds, backends, gateway, budget, tunnel, problem } = health
  const { refused_proxy: proxy } = health
  const lines = [
    [
      `csp ${version ?? ''}`.trim(),
      `at ${url}:`,
      how,
      ...(uptime_seconds === undefined ? [] : [`for ${spanOf(uptime_seconds)}`]),
    ],
    ...(backends ?? []).flatMap((backend) => [
      [`  ${backend.name}:`, backendLine(backend)],
      ...Object.entries(backend.engines ?? {}).map(([name, state]) => [`    ${name}: ${state}`]),
      ...limitsOf(backend).map((limit) => ['    usage limit:', limitLine(limit)]),
      ...(backend.last_error
        ? [[`    last error, ${whenOf(backend.last_error.at)}: ${backend.last_error.message}`]]
        : []),
    ]),
    ...(gateway ?? []).map((upstream) => [`  gateway, ${upstream.name}:`, upstreamLine(upstream)]),
    ...(budget ? [['  budget:', budgetLine(budget)]] : []),
    ...(tunnel ? [['  tunnel:', tunnelLine(tunnel)]] : []),
    ...(proxy ? [[`  refused, ${whenOf(proxy.at)}: ${proxy.problem}`]] : []),
    ...(problem ? [[`  ${problem}`]] : []),
    ...(backends || problem ? [] : [['  Set CSP_API_KEYS to its key to see more.']]),
  ]
  return lines.map((words) => `${safeLine(words.join(' ')).replace(/^/, indentOf(words[0]))}\n`).join('')
}

function indentOf(first = ''): string {
  return /^ */.exec(first)?.[0] ?? ''
}

type Backend = NonNullable<Health['backends']>[number]

function backendLine({ ready, problem, queue }: Backend): string {
  const how = problem ?? (ready ? 'ready' : 'not ready')
  return queue ? `${how} (${queue.running} running, ${queue.waiting} waiting)` : how
}

/** The limit in force first, then the other windows. */
function limitsOf({ rate_limit: limit }: Backend): readonly z.infer<typeof limitWindow>[] {
  if (!limit) return []
  return [limit, ...(limit.windows ?? []).filter(({ window }) => window !== limit.window)]
}

function limitLine({ status, window, utilization, resets_at }: z.infer<typeof limitWindow>): string {
  const used = typeof utilization === 'number' ? [`${Math.round(utilization * 100)} % used`] : []
  return [
    ...(status ? [status] : []),
    ...(window ? [window] : []),
    ...used,
    ...(resets_at ? [`until ${whenOf(resets_at)}`] : []),
  ].join(', ')
}

function upstreamLine({ ready, problem, cached_share: cached }: NonNullable<Health['gateway']>[number]): string {
  const share = typeof cached === 'number' ? `, ${Math.round(cached * 100)} % of input tokens from its cache` : ''
  return `${problem ?? (ready ? 'ready' : 'not ready')}${share}`
}

function budgetLine({ limits, warning, problem }: NonNullable<Health['budget']>): string {
  const states = (limits ?? []).map(({ kind, window, limit, used }) => `${used} of ${limit} ${kind} a ${window}`)
  const isDaily = (limits ?? []).some(({ kind, window }) => kind === 'searches' && window === 'day')
  const way = isDaily ? ['(--daily-searches sets another, 0 lifts it)'] : []
  const state = states.length > 0 ? [states.join(', '), ...way].join(' ') : 'no limits'
  return [state, ...((problem ?? warning) ? [problem ?? warning] : [])].join('. ')
}

function tunnelLine(tunnel: NonNullable<Health['tunnel']>): string {
  const { url, home, connected, connected_since, round_trip_ms, running, served, last_error } = tunnel
  if (!connected) return `not connected to ${url}${last_error ? `: ${last_error}` : ''}`
  const trip = typeof round_trip_ms === 'number' ? `, ${round_trip_ms} ms away` : ''
  return `connected to ${url} as ${home} since ${connected_since ? whenOf(connected_since) : 'now'}${trip}, ${running} running, ${served} served`
}

/** `2026-11-21 23:15 (2 h ago)` */
function whenOf(iso: string): string {
  const relative = fromNow(iso)
  return relative ? `${timeOf(iso)} (${relative})` : iso
}
