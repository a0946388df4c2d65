import { expect, test } from 'bun:test'
import { banner, loginLines } from '../../../../src/runtime/cli/serve/serve-banner.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { version } from '../../../../src/runtime/version.ts'
import { testShell } from '../../test-shell.ts'

const server = { url: 'http://127.0.0.1:1', urls: ['http://127.0.0.1:1', 'http://10.0.0.1:1'] }
const environment = { HOME: '/nowhere' }
const shown = (flags: Parameters<typeof loadConfig>[0], hasNamedKeys = false, isTerminal = false, found = false) =>
  banner(
    server,
    { ...loadConfig(flags, environment, '/'), found },
    testShell({ environment, directory: '/', isTerminal }),
    hasNamedKeys,
  )

test('the banner has the addresses, the page, an example, the configuration and how to stop', () => {
  expect(shown({}).split('\n')).toEqual([
    `csp ${version} listens on http://127.0.0.1:1 and http://10.0.0.1:1`,
    '  page    open http://127.0.0.1:1 in a browser',
    "  try     curl 'http://127.0.0.1:1/v1/search?q=hello+world'",
    '  config  /nowhere/.config/csp/config.json (no such file; csp config shows the settings)',
    '  stop    Ctrl-C',
    '',
  ])
  expect(shown({}, false, false, true)).toContain('config.json\n')
  expect(shown({}, false, true)).toContain('\u001b[1mcsp ')
})

test('the example has a key where one is needed, and the sandbox and a missing page are told', () => {
  const keyed = `curl -H "Authorization: Bearer $KEY" 'http`
  expect(shown({ 'api-keys': 'a' })).toContain(keyed)
  expect(shown({}, true)).toContain(keyed)
  expect(shown({ sandbox: true }).split('\n')[1]).toStartWith('SANDBOX: ')
  expect(shown({ page: 'off' })).not.toContain('browser')
})

test('each backend has a line: its problem, or its login as far as it is known', () => {
  const backends = [
    { name: 'claude', ready: true, version: '2.0', signedIn: true, authMethod: 'claude.ai', subscription: 'max' },
    { name: 'one', ready: false, signedIn: false },
    { name: 'two', ready: true },
    { name: 'three', ready: false, problem: 'It \u001b[31mfails.' },
  ]
  expect(loginLines({ ready: true, backends })).toBe(
    '  claude 2.0 signed in (claude.ai, max)\n  one signed out\n  two not checked\n  three: It fails.\n',
  )
})
