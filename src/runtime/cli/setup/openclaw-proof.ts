import { z } from 'zod'
import { parseJson } from '../../../lib/json.ts'
import type { Proof } from '../clients/prove-search.ts'
import type { OpenClawWish } from './openclaw-config.ts'
import type { OpenClawProgram } from './openclaw-program.ts'

/** Searches as OpenClaw will: through its own program where it is there. It counts towards the plan. Never throws. */
export async function proveOpenClaw(
  wish: OpenClawWish,
  program: OpenClawProgram | undefined,
  install: string,
): Promise<Proof> {
  const began = performance.now()
  const proof = program ? await throughProgram(wish, program, install) : await asBravePlugin(wish)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  return proof.ok ? { ok: true, text: `${proof.text} (${seconds} s)` } : proof
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
  const { code, output, errors } = await program.run('infer', 'web', 'search', '--query', query, '--json')
  const outcome = outcomeSchema.safeParse(parseJson(output)).data
  if (!outcome) {
    const said = (errors || output).trim().split('\n').at(-1)?.slice(0, maxSaid)
    const end = code === null ? 'was ended after three minutes' : `ended with code ${code}`
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
  return count > 0
    ? { ok: true, text: `A search through OpenClaw works: "${query}", ${countOf(count)}.` }
    : failed('csp answered, and found nothing. csp doctor looks further.')
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
    return `${message}\nOpenClaw does not reach csp at ${url}. Start it: csp start`
  }
  return `${message}\ncsp doctor checks what csp needs.`
}

const braveSchema = z.object({
  web: z.object({ results: z.array(z.unknown()) }).optional(),
  error: z.object({ detail: z.string().optional(), message: z.string().optional() }).optional(),
})

/** The request of OpenClaw's Brave plugin. */
async function asBravePlugin({ url, key }: OpenClawWish): Promise<Proof> {
  try {
    const response = await fetch(`${url}/res/v1/web/search?${new URLSearchParams({ q: query, count: '5' })}`, {
      headers: { accept: 'application/json', 'x-subscription-token': key ?? 'local' },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    })
    const { web, error } = braveSchema.parse(await response.json())
    if (!response.ok) return failed(`csp says: ${error?.detail ?? error?.message ?? `HTTP ${response.status}`}`)
    const count = web?.results.length ?? 0
    if (count === 0) return failed('csp found nothing. csp doctor looks further.')
    return { ok: true, text: `A search as OpenClaw's Brave plugin makes it works: "${query}", ${countOf(count)}.` }
  } catch {
    return failed(`csp does not answer at ${url} as it should. csp doctor looks further.`)
  }
}

function countOf(count: number): string {
  return count === 1 ? '1 result' : `${count} results`
}

function failed(reason: string): Proof {
  return { ok: false, text: `A search through OpenClaw does not work yet: ${reason}` }
}

const query = 'latest stable release of Node.js'
const maxSaid = 500
