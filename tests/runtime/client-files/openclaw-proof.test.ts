import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasOwnPlugin, installCommand, installWords } from '../../../src/runtime/client-files/openclaw-program.ts'
import { proveOpenClaw } from '../../../src/runtime/client-files/openclaw-proof.ts'
import type { ProgramEnd } from '../../../src/runtime/shell/run-program.ts'

const failure = 'A search through OpenClaw does not work yet: '

/** What is said where OpenClaw's program ends this way. */
async function proof(end: Partial<ProgramEnd>, plugin: 'brave' | 'csp' = 'csp') {
  const calls: (readonly string[])[] = []
  const run = async (...args: readonly string[]): Promise<ProgramEnd> => {
    calls.push(args)
    return { code: 0, output: '', errors: '', ...end }
  }
  const { ok, lines } = await proveOpenClaw({ url: 'http://u', plugin }, { run }, 'INSTALL')
  expect(calls).toEqual([['infer', 'web', 'search', '--query', 'latest stable release of Node.js', '--json']])
  return [ok, ...lines]
}

const reply = (body: object) => ({ output: JSON.stringify({ ok: true, provider: 'csp', ...body }) })
const result = (one: object) => reply({ outputs: [{ result: one }] })

test.each([
  [result({ results: [{}, {}] }), '2 results'],
  [result({ results: [{}] }), '1 result'],
  [result({ content: 'An answer.' }), '1 result'],
])('a search of OpenClaw that finds something works: %j', async (end, count) => {
  expect(await proof(end)).toEqual([true, `A search through OpenClaw works: ${count}, 0 s with its start.`])
})

test.each([
  [{ code: 3 }, 'its command ended with code 3.'],
  [{ code: 3, output: 'x\ny\n', errors: 'a\nb\n' }, 'its command ended with code 3: b'],
  [{ code: undefined, output: 'x\ny\n' }, 'its command was ended after three minutes: y'],
  [{ errors: 'x'.repeat(600) }, `its command ended with code 0: ${'x'.repeat(500)}`],
  [result({ results: [] }), 'csp answered, and found nothing. csp doctor looks further.'],
  [result({}), 'csp answered, and found nothing. csp doctor looks further.'],
  [reply({}), 'csp answered, and found nothing. csp doctor looks further.'],
  [
    reply({ provider: 5 }),
    'it searched with another provider, not with csp. openclaw config get tools.web.search shows what it reads.',
  ],
])('one that finds nothing does not: %j', async (end, said) => {
  expect(await proof(end)).toEqual([false, failure + said])
})

test.each([
  [{}, ['it says no more', 'csp doctor checks what csp needs.']],
  [
    { error: { message: 'No.' }, issues: [{ path: 'a', message: 'b' }] },
    ['No. a: b', 'csp doctor checks what csp needs.'],
  ],
  [{ error: { message: 'x'.repeat(600) } }, ['x'.repeat(500), 'csp doctor checks what csp needs.']],
  [
    { error: { message: 'nothing answers' } },
    ['nothing answers', 'OpenClaw does not reach csp at http://u. Start it: csp start'],
  ],
  [
    { error: { message: 'provider is not available' } },
    [
      'provider is not available',
      'Its plugin csp is not installed, or not loaded. Install it: INSTALL',
      'If it is (openclaw plugins list), look for plugins.enabled, plugins.deny and tools.deny in its configuration.',
    ],
  ],
])('an error of OpenClaw is told with advice: %j', async (body, [first, ...advice]) => {
  expect(await proof(reply({ ok: false, ...body }))).toEqual([false, `${failure}${first}`, ...advice])
})

test('the plugin is there if each of its files is as in this package', () => {
  const home = mkdtempSync(join(tmpdir(), 'csp-plugin-'))
  const [folder, installed] = [join(home, 'own'), join(home, '.openclaw/extensions/csp')]
  const write = (where: string, name: string, text: string) => {
    mkdirSync(where, { recursive: true })
    writeFileSync(join(where, name), text)
  }
  const names = ['package.json', 'openclaw.plugin.json', 'index.js', 'csp.js', 'service.js']
  for (const name of names) write(folder, name, name)
  const has = () => hasOwnPlugin({ HOME: home }, folder)
  expect(has()).toBe(false)
  for (const name of names) write(installed, name, name)
  expect(has()).toBe(true)
  for (const name of names) {
    write(installed, name, 'older')
    expect(has()).toBe(false)
    write(installed, name, name)
  }
  rmSync(home, { recursive: true })
})

test('a plugin is installed by its name, ours from its folder, with leave', () => {
  expect(installWords('brave', '/f')).toEqual(['plugins', 'install', '@openclaw/brave-plugin'])
  expect(installCommand('csp', '/a b')).toBe("openclaw plugins install '/a b' --force --accept-capabilities")
  expect(installWords('csp', undefined)[2]).toBe('claude-search-proxy-openclaw')
})
