import { z } from 'zod'
import { momentOf, withMoments } from '../../../lib/times.ts'
import { withoutLastSlashes } from '../../../lib/url.ts'
import { chooseServers } from '../../background/choose-servers.ts'
import { tokenAt } from '../../background/running-executor.ts'
import { runningServers } from '../../background/running-servers.ts'
import { reachable, urlOf } from '../../bun/addresses.ts'
import { plainAddress } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print the reply of /health' } } satisfies OptionDefinitions

/** `csp status`: the health of a running csp at a glance. */
export const status = defineCommand({
  name: 'status',
  usage: '[URL] [FLAGS]',
  details:
    'Without URL it asks the csp of this machine. It needs no key there; elsewhere it sends the first of CSP_API_KEYS. Exit code 0 if searches work, 4 if a limit allows no new ones, 1 if nothing works.',
  examples: [`${csp} status`, `${csp} status --json`, `${csp} status https://csp-edge.example.workers.dev`],
  options: definitions,
  arguments: { minimum: 0, maximum: 1 },
  run: runStatus,
})

async function runStatus({
  shell,
  loaded,
  arguments: [given],
  options,
}: Invocation<typeof definitions>): Promise<number> {
  const { config } = loaded
  const servers = await runningServers(config.stateDir)
  // A csp that was started with other flags has written down where it is.
  const [own] = given === undefined ? chooseServers(servers, loaded) : []
  const url = withoutLastSlashes(given ?? reachable(own?.url ?? urlOf(config.host[0] ?? '127.0.0.1', config.port)))
  if (!plainAddress.test(url))
    throw new UsageError(`${csp} status: ${url} is not an address such as http://127.0.0.1:52480.`)
  const token = own?.token ?? tokenAt(url, servers)
  const reply = await ask(url, token ?? config.apiKeys[0])
  const found = healthSchema.safeParse(reply).data
  if (!found) {
    const silent = `Nothing answers at ${url}.${given === undefined ? ` Start csp with: ${csp} start` : ''}`
    const strange = reply === 'silent' ? `What listens at ${url} does not answer.` : `That server is not csp: ${url}`
    const said = reply === undefined ? silent : strange
    shell.errors.write(wrapped(`${said}\n`, shell.errors))
    return exitCodes.failed
  }
  shell.output.write(options.json ? prettyJson(reply) : wrapped(glance(url, found), shell.output))
  if (found.searches?.status === 'limited') return exitCodes.limited
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
  const { status: how, problem, rows } = health
  const [first, ...others] = rows ?? []
  const shown = others.flatMap(({ name, text, details, when }) => {
    const moment = when ? ` ${when.label} at ${momentOf(when.at)}.` : ''
    return [`  ${safeLine(`${name}: ${text}${moment}`)}`, ...(details ?? []).map((one) => `    ${safeLine(one)}`)]
  })
  const lines = [
    safeLine(`csp at ${url}: ${how}${first ? `. ${withMoments(first.text)}` : ''}`),
    ...shown,
    ...(problem ? [`  ${safeLine(problem)}`] : []),
    ...(rows || problem ? [] : ['  Set CSP_API_KEYS to its key to see more.']),
  ]
  return linesText(lines)
}
