import { parseJson } from '@csp/lib/json'
import { counted } from '@csp/lib/text'
import { z } from 'zod'
import type { ClientAddress } from '../../clients/client.ts'
import { openClaw } from '../../clients/programs/openclaw.ts'
import { csp } from '../shell/program.ts'
import type { OpenClawProgram } from './openclaw-program.ts'
import { type Proof, proveSearch } from './prove-search.ts'

/** The plugin that OpenClaw is to search with, and where it is to find csp. */
interface OpenClawWish extends ClientAddress {
  readonly plugin: 'brave' | 'csp'
}

/** Searches as OpenClaw will: through its own program where it is there. It counts towards the plan. Never throws. */
export async function proveOpenClaw(
  wish: OpenClawWish,
  program: OpenClawProgram | undefined,
  install: string,
): Promise<Proof> {
  return program
    ? throughProgram(wish, program, install)
    : proveSearch({ ...openClaw, title: "OpenClaw's Brave plugin" }, wish, wish.url)
}

const outcomeSchema = z.object({
  ok: z.boolean(),
  provider: z.string().optional().catch(undefined),
  outputs: z
    .array(z.object({ result: z.object({ results: z.array(z.unknown()).optional(), content: z.string().optional() }) }))
    .catch([]),
  error: z.object({ message: z.string() }).optional().catch(undefined),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).catch([]),
})

async function throughProgram(wish: OpenClawWish, program: OpenClawProgram, install: string): Promise<Proof> {
  const began = performance.now()
  const { code, output, errors } = await program.run('infer', 'web', 'search', '--query', query, '--json')
  const outcome = outcomeSchema.safeParse(parseJson(output)).data
  if (!outcome) {
    const said = (errors || output).trim().split('\n').at(-1)?.slice(0, maxSaid)
    const end = code === undefined ? 'was ended after three minutes' : `ended with code ${code}`
    return failed(`its command ${end}${said ? `: ${said}` : '.'}`)
  }
  if (!outcome.ok) return failed(adviceOn(outcome, wish, install))
  if (outcome.provider !== wish.plugin) {
    return failed(
      `it searched with ${outcome.provider ?? 'another provider'}, not with csp. openclaw config get tools.web.search shows what it reads.`,
    )
  }
  const [found] = outcome.outputs
  const count = found?.result.results?.length ?? (found?.result.content ? 1 : 0)
  if (count === 0) return failed(`csp answered, and found nothing. ${csp} doctor looks further.`)
  const seconds = Math.round((performance.now() - began) / 1000)
  return {
    ok: true,
    lines: [`A search through OpenClaw works: ${counted(count, 'result')}, ${seconds} s with its start.`],
  }
}

function adviceOn(
  { error, issues }: z.output<typeof outcomeSchema>,
  { plugin, url }: OpenClawWish,
  install: string,
): string {
  const message = [error?.message ?? 'it says no more', ...issues.map((issue) => `${issue.path}: ${issue.message}`)]
    .join(' ')
    .slice(0, maxSaid)
  const isWithoutProvider = /no provider is available|provider is not available/.test(message)
  if (isWithoutProvider) {
    return `${message}\nIts plugin ${plugin} is not installed, or not loaded. Install it: ${install}\nIf it is (openclaw plugins list), look for plugins.enabled, plugins.deny and tools.deny in its configuration.`
  }
  if (/config is invalid/.test(message)) return `${message}\nopenclaw config validate shows where.`
  if (/fetch failed|nothing answers|ECONNREFUSED/.test(message)) {
    return `${message}\nOpenClaw does not reach csp at ${url}. Start it: ${csp} start`
  }
  return `${message}\n${csp} doctor checks what csp needs.`
}

function failed(reason: string): Proof {
  const [first = '', ...advice] = reason.split('\n')
  return { ok: false, lines: [`A search through OpenClaw does not work yet: ${first}`, ...advice] }
}

const query = 'latest stable release of Node.js'
const maxSaid = 500
