import { expect } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { serveClaudeCom } from '../support/claude-com.ts'
import { startCsp } from '../support/csp-process.ts'
import { testNeeding } from '../support/needs.ts'
import { quickClaude } from '../support/quick-claude.ts'
import { credentialsIn } from '../support/sign-in.ts'

// The real CLI signs in, on a stand-in for claude.com.

testNeeding('openssl', Bun.which('openssl') !== null)(
  'Claude is signed in over HTTP with the code of its page, searches work without a restart, and csp sees no token',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'csp-sign-in-'))
    await using claudeCom = serveClaudeCom(home)
    await using sandbox = startSandbox()
    const environment = { ...claudeCom.environment, CLAUDE_CODE_OAUTH_TOKEN: '', CSP_CLAUDE_BIN: quickClaude() }
    const csp = await startCsp({ standInUrl: sandbox.url, environment, home, flags: ['--log-level', 'debug'] })
    try {
      const search = () => fetch(`${csp.url}/v1/search?q=bees`)
      expect((await search()).status).toBe(503)
      expect(await loginRow(csp.url)).toMatchObject({ level: 'bad', action: 'sign-in' })

      // A code that Claude does not take ends the attempt in the CLI's own words.
      const first = beginSignIn(csp.url)
      await first.link()
      expect((await first.enter('wrong#state')).status).toBe(204)
      expect(await first.last()).toEqual({ type: 'failed', message: expect.stringContaining("code wasn't accepted") })

      const second = beginSignIn(csp.url)
      const link = new URL(await second.link())
      // Of the CLI of the day, from one version to the next.
      expect(['claude.com', 'claude.ai']).toContain(link.hostname)
      expect((await second.enter('half-a-code')).status).toBe(204)
      expect((await second.next('note')).text).toContain('the full code')
      expect((await second.enter(`good#${link.searchParams.get('state')}`)).status).toBe(204)
      expect(await second.last()).toEqual({ type: 'done' })

      expect(claudeCom.codes).toEqual(['good'])
      expect(existsSync(credentialsIn(home))).toBe(true)
      expect(await loginRow(csp.url)).toEqual({
        name: 'claude login',
        level: 'ok',
        text: 'Signed in (max, claude.ai).',
      })
      expect((await search()).status).toBe(200)
      const again = await fetch(`${csp.url}/v1/sign-in`, { method: 'POST' })
      expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('signed in already')])
      const token = JSON.parse(readFileSync(credentialsIn(home), 'utf8')).claudeAiOauth.accessToken
      for (const secret of [token, 'sk-ant', 'good#']) {
        expect(csp.log()).not.toContain(secret)
        expect(JSON.stringify([first.steps, second.steps])).not.toContain(secret)
      }
    } finally {
      await csp.stop()
    }
  },
)

interface Step {
  readonly type: string
  readonly id?: string
  readonly url?: string
  readonly text?: string
  readonly message?: string
}

/** A sign-in as the page has it. */
function beginSignIn(url: string) {
  const steps: Step[] = []
  const iterator = stepsOf(url)
  const next = async (type: string): Promise<Step> => {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) throw new Error(`There was no ${type}: ${JSON.stringify(steps)}`)
      steps.push(value)
      if (value.type === type) return value
    }
  }
  return {
    steps,
    next,
    link: async () => (await next('link')).url ?? '',
    enter: (code: string) =>
      fetch(`${url}/v1/sign-in/code`, { method: 'POST', body: JSON.stringify({ id: steps[0]?.id, code }) }),
    async last() {
      for await (const step of iterator) steps.push(step)
      return steps.at(-1)
    },
  }
}

async function* stepsOf(url: string): AsyncGenerator<Step> {
  const reply = await fetch(`${url}/v1/sign-in`, { method: 'POST' })
  let text = ''
  for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice(6))
  }
}

async function loginRow(url: string) {
  const health = await (await fetch(`${url}/health`)).json()
  return health.rows.find((row: { name: string }) => row.name === 'claude login')
}
