import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  keptFlags,
  keptVariables,
  omittedSecrets,
  planService,
} from '../../../../src/runtime/background/service/service-plan.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { docsPage } from '../../../../src/runtime/shell/program.ts'

describe('what a service runs', () => {
  test('is csp by absolute paths, with the node that csp runs on', () => {
    const HOME = tmpdir()
    const environment = { HOME, PATH: '/x/node_modules/.bin:/usr/bin', CSP_NODE: '/opt/odd node/bin/node' }
    const origin = { environment, directory: '/somewhere', loaded: loadConfig({}, { HOME }, '/'), flags: {} }
    const { program, environment: variables } = planService(origin, ['serve', '--port=1'], 'systemd')
    expect(program.command).toBe('/opt/odd node/bin/node')
    expect(program.args).toEqual([expect.stringMatching(/^\/.*\/bin\/csp\.mjs$/), 'serve', '--port=1'])
    expect(variables).toMatchObject({ PATH: '/usr/bin:/opt/odd node/bin', CSP_MANAGER: 'systemd' })
  })

  test('has the path of the CLI that this csp would run, and only variables that are set', () => {
    const HOME = mkdtempSync(join(tmpdir(), 'csp-plan-'))
    try {
      mkdirSync(join(HOME, 'bin'))
      writeFileSync(join(HOME, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 })
      const environment = {
        HOME,
        PATH: '',
        CSP_NODE: '/opt/node/bin/node',
        CSP_CLAUDE_BIN: 'other',
        CSP_MODEL: 'haiku',
      }
      const plan = (claudeBin: string) => {
        const loaded = loadConfig({ 'claude-bin': claudeBin }, { HOME }, HOME)
        return planService({ environment, directory: HOME, loaded, flags: {} }, ['serve'], 'launchd')
      }
      const rest = { PATH: '/opt/node/bin', CSP_MODEL: 'haiku', CSP_MANAGER: 'launchd' }
      expect(plan(join(HOME, 'bin/claude'))).toEqual({
        program: expect.objectContaining({ command: '/opt/node/bin/node' }),
        environment: { ...rest, CSP_CLAUDE_BIN: join(HOME, 'bin/claude') },
        logFile: join(HOME, '.local/state/csp/log/csp.log'),
      })
      expect(plan(join(HOME, 'bin/none')).environment).toEqual(rest)
    } finally {
      rmSync(HOME, { recursive: true })
    }
  })

  test('means the same in another folder, and has no secret', () => {
    const flags = { port: '1', sandbox: true, config: 'mine.json', 'state-dir': '../state', 'api-keys': 'secret' }
    expect(keptFlags(flags, '/home/jo')).toEqual({
      port: '1',
      sandbox: true,
      config: '/home/jo/mine.json',
      'state-dir': '/home/state',
    })
    const variables = {
      ...{ CSP_CONFIG: 'mine.json', CSP_EFFORT: '', CSP_MODEL: 'haiku', CSP_API_KEYS: 'secret', CSP_NODE: '/bin/node' },
      ...{
        CSP_CLAUDE_BIN: 'claude',
        OPENAI_API_KEY: 'secret',
        OPENAI_BASE_URL: 'https://llm.example',
        XDG_STATE_HOME: '/s',
        EDITOR: 'vi',
      },
      ...{ HTTP_PROXY: 'http://user:secret@proxy:1', HTTPS_PROXY: 'http://proxy:1', CSP_SEARXNG_URL: 'http://a:b@c' },
    }
    expect(keptVariables(variables, '/home/jo')).toEqual({
      CSP_CONFIG: '/home/jo/mine.json',
      CSP_MODEL: 'haiku',
      OPENAI_BASE_URL: 'https://llm.example',
      XDG_STATE_HOME: '/s',
      HTTPS_PROXY: 'http://proxy:1',
    })
  })

  const file = 'Set "%" in /home/jo/.config/csp/config.json'
  const keys = `${file.replace('%', 'api-keys')}, or make keys with csp keys add NAME.`
  const login = `Sign in with the CLI, or see ${docsPage('running.md')}.`

  test.each<[Record<string, string>, Record<string, string>, readonly (readonly [string, string])[]]>([
    [{ 'api-keys': 'secret' }, {}, [['--api-keys', keys]]],
    [{}, { CSP_API_KEYS: 'secret' }, [['CSP_API_KEYS', keys]]],
    [{ 'api-keys': 'secret' }, { CSP_API_KEYS: 'other' }, [['--api-keys', keys]]],
    [{}, { CSP_REMOTE_KEY: 'secret' }, [['CSP_REMOTE_KEY', `${file.replace('%', 'remote-key')}.`]]],
    [
      { backends: 'brave' },
      { BRAVE_API_KEY: 'secret', TAVILY_API_KEY: 'secret' },
      [['BRAVE_API_KEY', `${file.replace('%', 'BRAVE_API_KEY')}.`]],
    ],
    [{}, { BRAVE_API_KEY: 'secret' }, []],
    [{}, { OPENAI_API_KEY: 'secret' }, []],
    [
      {},
      { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: 'https://llm.example' },
      [['OPENAI_API_KEY', `${file.replace('%', 'OPENAI_API_KEY')}.`]],
    ],
    [{}, { CLAUDE_CODE_OAUTH_TOKEN: 'secret' }, [['CLAUDE_CODE_OAUTH_TOKEN', login]]],
    [{}, { ANTHROPIC_API_KEY: 'secret' }, []],
    [{ auth: 'api-key' }, { ANTHROPIC_API_KEY: 'secret' }, [['ANTHROPIC_API_KEY', login]]],
    [{}, {}, []],
  ])('with %j and %j it says which secret it does not have, and where secrets go', (flags, variables, expected) => {
    const environment = { HOME: '/home/jo', ...variables }
    const loaded = loadConfig(flags, environment, '/')
    const lines = expected.map(([name, advice]) => `${name} is a secret, so the service does not include it. ${advice}`)
    expect(omittedSecrets({ environment, directory: '/', loaded, flags })).toEqual(lines)
  })

  test('has no proxy with a password, and says so', () => {
    const environment = {
      HOME: '/home/jo',
      http_proxy: 'http://a:secret@b:1',
      HTTPS_PROXY: 'http://b:1',
      NO_PROXY: '*',
    }
    const loaded = loadConfig({}, environment, '/')
    expect(omittedSecrets({ environment, directory: '/', loaded, flags: {} })).toEqual([
      'http_proxy holds a password, so the service does not include it.',
    ])
  })
})
