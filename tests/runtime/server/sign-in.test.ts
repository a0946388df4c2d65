import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SignInStep } from '../../../src/api/endpoints/own-parts.ts'
import { type ClaudeSignInOptions, claudeSignIn } from '../../../src/runtime/server/sign-in.ts'
import { untilGone } from '../../support/processes.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-sign-in-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const link = 'https://claude.com/cai/oauth/authorize?code=true&state=s'
const asks = `echo 'Opening browser to sign in'; echo 'Visit: ${link}'; printf 'Paste code here if prompted > '`

/** A login by a CLI that is this script. */
function loginBy(script: string, options: Partial<ClaudeSignInOptions> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const cli = join(home, 'claude')
  writeFileSync(cli, `#!/bin/sh\ncd "$HOME"\necho "$*" > arguments\n${script}\n`)
  chmodSync(cli, 0o755)
  let signedIn = 0
  const signIn = claudeSignIn({
    findBinary: () => cli,
    environment: { HOME: home, PATH: '/usr/bin:/bin', DISPLAY: ':0' },
    directory: join(home, 'work'),
    onSignedIn: () => signedIn++,
    ...options,
  })
  const file = (name: string) => readFileSync(join(home, name), 'utf8')
  return { signIn, signedIn: () => signedIn, file }
}

/** The steps of a login, which gets its codes once it has its link. */
async function stepsOf(
  { signIn }: ReturnType<typeof loginBy>,
  codes: readonly string[] = [],
  signal = new AbortController().signal,
) {
  const steps: SignInStep[] = []
  for await (const step of signIn.begin(signal)) {
    steps.push(step)
    const [first] = steps
    if (step.type === 'link' && first?.type === 'started')
      for (const code of codes) expect(await signIn.enter(first.id, code)).toBe(true)
  }
  return steps.slice(1)
}

test('hands the code to the CLI, and says when it is in', async () => {
  const login = loginBy(
    `${asks}; read code; echo "$code" > code; echo "$BROWSER $DISPLAY" > browser; echo 'Login successful.'`,
  )
  expect(await stepsOf(login, ['abc#def'])).toEqual([{ type: 'link', url: link }, { type: 'done' }])
  expect([login.file('arguments'), login.file('code'), login.signedIn()]).toEqual(['auth login\n', 'abc#def\n', 1])
  // No browser opens on the machine of csp.
  expect(login.file('browser')).toBe('true \n')
})

test('says what the CLI says of a code, and why it gave up', async () => {
  const login = loginBy(
    `${asks}; read code; echo 'Not the full code.' >&2; read code; echo "Couldn't log in: no." >&2; exit 1`,
  )
  const steps = await stepsOf(login, ['half', 'wrong#s'])
  expect(steps).toContainEqual({ type: 'note', text: expect.stringContaining('Not the full code.') })
  expect(steps.at(-1)).toEqual({ type: 'failed', message: "Couldn't log in: no." })
  expect(login.signedIn()).toBe(0)
})

test('shows no secret that the CLI prints', async () => {
  const login = loginBy(`${asks}; echo 'token sk-ant-oat01-abc' >&2; exit 1`)
  expect(JSON.stringify(await stepsOf(login))).not.toContain('abc')
})

test.each<[string, string, Partial<ClaudeSignInOptions>, RegExp]>([
  ['prints no link', 'echo Hm. >&2; sleep 60', { linkMs: 100 }, /prints no link. Sign in where csp runs: .*csp login/],
  ['gets no code in time', `${asks}; sleep 60`, { timeoutMs: 300 }, /Nobody has entered a code in time/],
  ['floods its output', `head -c 100000 /dev/zero | tr '\\0' x; echo; ${asks}; sleep 60`, {}, /ended without a login/],
  ['ends without a word', 'exit 3', {}, /ended without a login/],
  ['ends with many words', `head -c 600 /dev/zero | tr '\\0' x >&2; exit 1`, {}, /^x{400}$/],
  ['is not there', '', { findBinary: () => undefined }, /not installed/],
  [
    'has a token in its environment',
    '',
    { environment: { CLAUDE_CODE_OAUTH_TOKEN: 'x' } },
    /CLAUDE_CODE_OAUTH_TOKEN.*login --token/,
  ],
])('fails in words where the CLI %s', async (_, script, options, message) => {
  const all: SignInStep[] = []
  for await (const step of loginBy(script, options).signIn.begin(new AbortController().signal)) all.push(step)
  expect(all.at(-1)).toEqual({ type: 'failed', message: expect.stringMatching(message) })
  expect(all.filter(({ type }) => type === 'note')).toEqual([])
})

test('ends the CLI with the page, and with the next attempt, which alone takes codes', async () => {
  const login = loginBy(`${asks}; echo $$ > pid; read code; echo 'Login successful.'`)
  const gone = new AbortController()
  const ids: string[] = []
  for await (const step of login.signIn.begin(gone.signal)) {
    if (step.type === 'started') ids.push(step.id)
    if (step.type === 'link') gone.abort()
    if (step.type === 'failed') expect(step.message).toBe('Cancelled.')
  }
  expect(await login.signIn.enter(ids[0] ?? '', 'code')).toBe(false)

  const first = login.signIn.begin(new AbortController().signal)
  const firstSteps = (async () => {
    const all: SignInStep[] = []
    for await (const step of first) all.push(step)
    return all
  })()
  const waiting = login.signIn.begin(new AbortController().signal)[Symbol.asyncIterator]()
  const { value: started } = await waiting.next()
  // Its CLI starts once the one before is gone.
  expect(await login.signIn.enter(started?.type === 'started' ? started.id : '', 'early')).toBe(false)
  const second = await stepsOf(login, ['code'])
  expect((await firstSteps).at(-1)).toEqual({ type: 'failed', message: 'Another page has begun to sign in.' })
  expect(second.at(-1)).toEqual({ type: 'done' })
  expect(login.signedIn()).toBe(1)
})

test('a reader that leaves between two steps ends the CLI, and breaks nothing', async () => {
  const login = loginBy(`echo $$ > pid; ${asks}; exec sleep 60`)
  const steps = login.signIn.begin(new AbortController().signal)[Symbol.asyncIterator]()
  while ((await steps.next()).value?.type !== 'link');
  await steps.return?.()
  await untilGone([Number(login.file('pid'))])
  // A step for a reader that has left would be an unhandled rejection, which fails the test.
  await Bun.sleep(50)
})

test('twenty attempts at once start one CLI, that of the newest', async () => {
  const login = loginBy(`echo one >> starts; ${asks}; read code; echo 'Login successful.'`)
  const rest = Array.from({ length: 19 }, () => stepsOf(login))
  expect((await stepsOf(login, ['code'])).at(-1)).toEqual({ type: 'done' })
  const failed = { type: 'failed', message: 'Another page has begun to sign in.' } as const
  expect(await Promise.all(rest)).toEqual(Array(19).fill([failed]))
  expect(login.file('starts')).toBe('one\n')
})
