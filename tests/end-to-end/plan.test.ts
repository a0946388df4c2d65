import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { SandboxOptions } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { serveClaudeCom } from '../support/claude-com.ts'
import { type CspProcess, oneSearchServer, startCsp } from '../support/csp-process.ts'
import { describeNeeding } from '../support/needs.ts'
import { quickClaude, standInClaude } from '../support/quick-claude.ts'
import { scratchHome } from '../support/real-claude.ts'
import { signIn } from '../support/sign-in.ts'
import { entry } from '../support/tested-program.ts'

// What csp leaves of a subscription, over HTTP.

const resetsAt = new Date(Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000)
const five = resetsAt.toISOString()

describe('a plan of which each call of a model tells', () => {
  let standIn: RunningSandbox
  let csp: CspProcess

  beforeAll(async () => {
    standIn = startSandbox({ limitResetsAt: resetsAt })
    csp = await startCsp({
      standInUrl: standIn.url,
      flags: ['--rate', '0', '--memory', 'off', '--cache-ttl', '0', ...oneSearchServer],
    })
  })
  afterAll(async () => {
    await csp.stop()
    await standIn.stop()
  })

  function setPlan(plan: SandboxOptions): void {
    standIn.sandbox.configure({ limitResetsAt: resetsAt, ...plan })
  }

  test('nears its line and passes it: no search is made beyond it, and each caller is told why', async () => {
    const calls = () => standIn.sandbox.stats().calls
    setPlan({ utilization: 0.83 })
    expect((await chat(csp, 'sonar-pro')).status).toBe(200)
    const before = calls()
    const deep = await chat(csp, 'sonar-reasoning-pro')
    expect(deep.status).toBe(429)
    expect(Number(deep.headers.get('retry-after'))).toBeGreaterThan(1000)
    expect((await deep.json()).error.message).toMatch(
      /^83% of Claude's 5-hour limit is used; the last 20% is kept for its owner \(--plan-reserve\)\. Resets at [^.]+\.$/,
    )
    const research = await chat(csp, 'sonar-deep-research')
    expect([research.status, (await research.json()).error.message]).toEqual([429, expect.stringMatching(/^83% of/)])
    expect(calls()).toBe(before)

    setPlan({ utilization: 0.86 })
    expect((await chat(csp, 'sonar-pro')).status).toBe(200) // and with it csp learns of the 86 %
    const passed = calls()
    expect([(await chat(csp, 'sonar-pro')).status, (await chat(csp, 'claude-sonnet-5')).status]).toEqual([429, 429])
    expect(calls()).toBe(passed)
    expect((await list(csp)).status).toBe(200)

    const health = await (await fetch(`${csp.url}/health`)).json()
    expect(health.backends[0].plan).toEqual({
      reserve: 0.1,
      plan_only: true,
      paused: { kinds: ['deep', 'answers'], reason: expect.stringContaining('86%'), until: five },
      read_at: expect.any(String),
    })
    expect(health.rows).toContainEqual({
      name: 'claude plan',
      level: 'warning',
      text: expect.stringMatching(/^No deep searches, written answers now\. 86% of Claude's 5-hour limit/),
      when: { label: 'Until', at: five },
    })
    const metrics = await (await fetch(`${csp.url}/metrics`)).text()
    expect(metrics).toContain('csp_plan_paused{backend="claude",kind="answers"} 1')
    expect(metrics).toContain('csp_plan_paused{backend="claude",kind="lists"} 0')
    expect(metrics).toContain('csp_plan_reserve_ratio{backend="claude"} 0.1')
    const usage = await (await fetch(`${csp.url}/v1/usage`)).json()
    expect(usage.backends[0].plan.paused.kinds).toEqual(['deep', 'answers'])
    await eventually(() => csp.log().includes('Claude makes no deep searches, written answers until'))
  })
})

describeNeeding('openssl', Bun.which('openssl') !== null)('a plan that the CLI tells of when it is asked', () => {
  test('stops lists beyond the line before the first of them, and unknown windows are shown', async () => {
    const limit = { percent: 97, resets_at: five, scope: { model: { display_name: 'Fable' } } }
    const usage = {
      five_hour: { utilization: 91, resets_at: five },
      month: { utilization: 20, resets_at: null },
      seven_day_opus: null,
      limits: [{ kind: 'weekly_scoped', group: 'weekly', severity: 'critical', is_active: true, ...limit }],
    }
    // The real CLI, which turns a limit of a model into a window.
    await using up = await startAsked(() => usage, {}, quickClaude())
    await eventually(async () => (await rateLimit(up.csp))?.windows !== undefined, 30_000)
    const { windows } = await rateLimit(up.csp)
    const shown = windows.map((found: { window: string; utilization: number }) => [found.window, found.utilization])
    expect(shown).toEqual([
      ['five_hour', 0.91],
      ['month', 0.2],
      ['seven_day_fable', 0.97],
    ])
    const refused = await Promise.all(Array.from({ length: 5 }, () => list(up.csp)))
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
    expect(up.standIn.sandbox.stats().calls).toBe(0)
    const health = await fetch(`${up.csp.url}/health`)
    expect([health.status, (await health.json()).status]).toEqual([503, 'down'])
  })

  test('is not passed by ten lists at once, each of which costs a point of it', async () => {
    const usage = (calls: number) => ({ five_hour: { utilization: 86 + calls, resets_at: five } })
    await using up = await startAsked(usage, { thinkMs: 500 })
    await eventually(async () => (await rateLimit(up.csp))?.utilization === 0.86, 30_000)
    const replies = await Promise.all(Array.from({ length: 10 }, (_, at) => list(up.csp, `bees ${at}`)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill(200), ...Array(6).fill(429)])
    expect(up.standIn.sandbox.stats().calls).toBe(4)
    for (const refused of replies.filter(({ status }) => status === 429)) {
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
      expect((await refused.json()).error.detail).toMatch(
        /^About 90% of Claude's 5-hour limit is used; .* Try again in \d+ s\.$/,
      )
    }
  })

  test('of a week alone is shown as it is, and serves', async () => {
    await using up = await startAsked(() => ({ five_hour: null, seven_day: { utilization: 40, resets_at: five } }))
    await eventually(async () => (await rateLimit(up.csp))?.windows !== undefined, 30_000)
    const { windows } = await rateLimit(up.csp)
    expect(windows.map(({ window }: { window: string }) => window)).toEqual(['seven_day'])
    expect((await list(up.csp)).status).toBe(200)
  })
})

test('a plan beyond its line serves again when its window has ended', async () => {
  const end = new Date(Math.ceil(Date.now() / 1000 + 6) * 1000)
  await using standIn = startSandbox({ limitResetsAt: end, utilization: 0.95 })
  const csp = await startCsp({
    standInUrl: standIn.url,
    flags: ['--rate', '0', '--memory', 'off', '--cache-ttl', '0', ...oneSearchServer],
  })
  try {
    expect((await chat(csp, 'sonar-pro')).status).toBe(200) // csp hears of it with this one
    const refused = await list(csp)
    if (Date.now() < end.getTime()) expect(refused.status).toBe(429)
    standIn.sandbox.configure({ utilization: 0.01 })
    await eventually(async () => (await list(csp)).status === 200, 15_000)
    expect(Date.now()).toBeGreaterThanOrEqual(end.getTime() - 1000)
  } finally {
    await csp.stop()
  }
})

test('a key that leaves more of the plan stops before the others, and the next backend serves it', async () => {
  await using standIn = startSandbox({ limitResetsAt: resetsAt, utilization: 0.6 })
  await using home = await scratchHome()
  const folders = { XDG_CONFIG_HOME: join(home.path, 'config') }
  const keyFor = async (...args: string[]) => {
    const env = { HOME: home.path, PATH: process.env['PATH'] ?? '', ...folders }
    const child = Bun.spawn([process.execPath, entry, 'keys', 'add', ...args], { env, stderr: 'ignore' })
    return (await new Response(child.stdout).text()).trim()
  }
  const [agent, desk] = [await keyFor('agent', '--plan-reserve', '50%'), await keyFor('desk')]
  const found: object[] = []
  const searxng = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => (found.length > 0 ? Response.json({ results: found }) : new Response('', { status: 500 })),
  })
  const backends = ['--backends', 'claude,searxng', '--searxng-url', `http://127.0.0.1:${searxng.port}`]
  const csp = await startCsp({
    standInUrl: standIn.url,
    flags: ['--memory', 'off', '--rate', '0', '--cache-ttl', '0', ...oneSearchServer, ...backends],
    environment: folders,
  })
  try {
    expect((await chat(csp, 'sonar-pro', desk)).status).toBe(200)
    const refused = await chat(csp, 'claude-sonnet-5', agent)
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      429,
      expect.stringContaining('the key "agent" leaves the last 55%'),
    ])
    found.push({ title: 'Seals', url: 'https://seals.example/', content: 'Seals sleep.' })
    const other = await chat(csp, 'claude-sonnet-5', agent)
    expect([other.status, other.headers.get('x-csp-backend')]).toEqual([200, 'searxng'])
    // What was refused to one key closes Claude to no other.
    expect((await chat(csp, 'claude-sonnet-5', desk)).headers.get('x-csp-backend')).toBe('claude')
  } finally {
    await csp.stop()
    await searxng.stop(true)
  }
})

test('what is paid as extra usage is left to the next backend, unless it is allowed', async () => {
  await using standIn = startSandbox({ limitResetsAt: resetsAt, utilization: 0.5, overage: 'in-use' })
  const csp = await startCsp({
    standInUrl: standIn.url,
    flags: ['--rate', '0', '--memory', 'off', '--cache-ttl', '0', ...oneSearchServer],
  })
  const allowed = [
    '--plan-only',
    'off',
    '--plan-reserve',
    '0',
    '--rate',
    '0',
    '--memory',
    'off',
    '--cache-ttl',
    '0',
    ...oneSearchServer,
  ]
  const paying = await startCsp({ standInUrl: standIn.url, flags: allowed })
  try {
    for (const up of [csp, paying]) expect((await chat(up, 'sonar-pro')).status).toBe(200) // csp hears of it with this one
    const { calls } = standIn.sandbox.stats()
    const refused = await chat(csp, 'sonar-pro')
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      429,
      expect.stringMatching(/paid as extra usage \(--plan-only\)\. Resets at [^.]+\.$/),
    ])
    expect((await list(csp)).status).toBe(429)
    expect(standIn.sandbox.stats().calls).toBe(calls)
    expect((await chat(paying, 'sonar-pro')).status).toBe(200)
    const { rows } = await (await fetch(`${paying.url}/health`)).json()
    expect(rows).toContainEqual(
      expect.objectContaining({
        name: 'claude plan',
        text: expect.stringContaining('Claude is paid as extra usage now.'),
      }),
    )
  } finally {
    await Promise.all([csp.stop(), paying.stop()])
  }
})

/** A csp whose CLI is signed in at a server that says what its plan has used. */
async function startAsked(usage: (calls: number) => object, options: SandboxOptions = {}, cli = standInClaude()) {
  const home = await scratchHome()
  const standIn = startSandbox({ limitResetsAt: resetsAt, ...options })
  const anthropic = serveClaudeCom(home.path, {
    messages: standIn.sandbox.fetch,
    usage: () => usage(standIn.sandbox.stats().calls),
  })
  signIn(home.path)
  const csp = await startCsp({
    standInUrl: 'https://api.anthropic.com',
    home: home.path,
    flags: ['--rate', '0', '--memory', 'off', '--cache-ttl', '0', '--warm-up', 'on', ...oneSearchServer],
    environment: { ...anthropic.environment, CLAUDE_CODE_OAUTH_TOKEN: '', CSP_CLAUDE_BIN: cli },
  })
  return {
    ...{ csp, standIn },
    async [Symbol.asyncDispose]() {
      await csp.stop()
      await anthropic[Symbol.asyncDispose]()
      await standIn.stop()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function rateLimit(csp: CspProcess) {
  const { backends } = await (await fetch(`${csp.url}/health`)).json()
  return backends[0].rate_limit
}

function list(csp: CspProcess, query = 'bees'): Promise<Response> {
  return fetch(`${csp.url}/res/v1/web/search?q=${encodeURIComponent(query)}`)
}

function chat(csp: CspProcess, model: string, key?: string): Promise<Response> {
  return fetch(`${csp.url}/v1/chat/completions`, {
    method: 'POST',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'bees' }] }),
  })
}
