import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { main } from '../../../src/runtime/cli/main.ts'
import { type EdgeEnvironment, readEdgeSettings } from '../../../src/runtime/cloudflare/environment.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { retiredSettings } from '../../../src/runtime/config/retired.ts'
import { settings, variableOf } from '../../../src/runtime/config/settings.ts'
import { testShell } from '../test-shell.ts'

const tests = join(import.meta.dir, '../..')
const home = mkdtempSync(join(tmpdir(), 'csp-retired-'))
afterAll(() => rmSync(home, { recursive: true }))
const entries = Object.entries(retiredSettings)

test('a name is either a setting or one that was', () => {
  const names = settings.map(({ flag }) => flag)
  expect(entries.filter(([name]) => names.includes(name))).toEqual([])
})

test('what is no flag is not passed over in silence', () => {
  expect(() => loadConfig({ 'list-concurency': '3' }, { HOME: home }, home)).toThrow('list-concurency')
})

test('no other test rests on a setting that csp no longer has', async () => {
  /** Their subject: what becomes of old names. */
  const subjects = ['retired', 'config', 'json-schema', 'start-at-login'].map((name) => `/${name}.test.ts`)
  const names = entries.map(([name]) => `--${name}\\b(?!-)|(?<!\\w)${variableOf(name)}\\b|'${name}': `).join('|')
  const old = new RegExp(names)
  const others = [...new Glob('**/*.ts').scanSync(tests)].filter((file) => !subjects.some((it) => file.endsWith(it)))
  const found = others.flatMap(
    (file) => old.exec(readFileSync(join(tests, file), 'utf8'))?.[0].concat(` in ${file}`) ?? [],
  )
  // An option of mypy.
  expect(found).toEqual(['--cache-dir in integrations/python.test.ts'])
})

const samples: Readonly<Record<string, string>> = {
  'gateway-url': 'http://127.0.0.1:9',
  'access-client-id': 'id',
  'connect-secret-file': 'secret.txt',
}

test.each(entries)('--%s is accepted wherever it comes from, and said to be gone', async (name, retired) => {
  const { instead, isSwitch } = retired
  const sample = isSwitch ? 'yes' : (samples[name] ?? 'anything')
  const variable = variableOf(name)
  const path = join(home, `${name}.json`)
  writeFileSync(path, JSON.stringify({ [name]: sample }))
  const line = (origin: string) => `${origin} is no longer a setting: ${instead}.`
  const fromFile = loadConfig({ config: path }, { HOME: home }, home)
  expect(fromFile.warnings).toEqual([line(`${path} line 1: "${name}"`)])
  expect(loadConfig({}, { HOME: home, [variable]: sample }, home).warnings).toEqual([line(variable)])

  const shell = testShell({ environment: { HOME: home }, directory: home })
  const args = ['config', `--${name}`, ...(isSwitch ? [] : [sample])]
  expect(await main(args, shell)).toBe(0)
  expect(shell.complaints().replaceAll(/\s+/g, ' ')).toContain(line(`--${name}`))
})

test.each([
  [{ CSP_BRAVE_API_KEY: 'old', BRAVE_API_KEY: 'other' }, { braveApiKey: 'old' }],
  [
    { CSP_BACKENDS: 'exa', CSP_EXA_API_KEY: 'k' },
    { exaApiKey: 'k', backends: ['exa'] },
  ],
  // A key for another provider stays out of its sight.
  [{ CSP_GATEWAY_KEY: 'sk-or', OPENAI_API_KEY: 'sk-openai' }, { gatewayKey: 'sk-or' }],
  [{ CSP_GATEWAY_SONNET: 'qwen' }, { gatewaySonnet: 'qwen' }],
  [{ CSP_GATEWAY_CLAUDE: 'yes' }, { gateway: [{ name: 'claude' }] }],
  [
    { CSP_GATEWAY_CLAUDE: '1', CSP_GATEWAY: '[{"name": "a", "url": "http://127.0.0.1:9"}]' },
    { gateway: [{ name: 'a' }, { name: 'claude' }] },
  ],
  [{ CSP_GATEWAY_CLAUDE: 'no' }, { gateway: [] }],
  [{ CSP_CONNECT_SECRET_FILE: '/run/secret' }, { connectSecret: '@/run/secret' }],
  [{ CSP_ACCESS_CLIENT_ID: 'id', CSP_ACCESS_CLIENT_SECRET: 'half' }, { accessToken: 'id:half' }],
  [
    { CSP_SANDBOX: '1', CSP_SANDBOX_PACE: 'tokens=80' },
    { sandbox: true, sandboxPace: { tokensPerSecond: 80 } },
  ],
  [{ CSP_SANDBOX_PACE: 'real' }, { sandbox: false }],
])('what had another name keeps its effect: %j', (environment, expected) => {
  expect(loadConfig({}, { HOME: home, ...environment }, home).config).toMatchObject(expected)
  // A Worker has its variables only.
  const worker = readEdgeSettings({ CSP_API_KEYS: 'key', ...environment } as unknown as EdgeEnvironment)
  expect(worker).toMatchObject({ config: expected })
})
