import { describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import {
  keptFlags,
  keptVariables,
  omittedSecrets,
  planService,
} from '../../../../src/runtime/background/service/service-plan.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'

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
      ...{ OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: 'https://llm.example', XDG_STATE_HOME: '/s', EDITOR: 'vi' },
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

  test.each([
    [{ 'api-keys': 'secret' }, {}, '--api-keys'],
    [{}, { CSP_API_KEYS: 'secret' }, 'CSP_API_KEYS'],
    [{ 'api-keys': 'secret' }, { CSP_API_KEYS: 'other' }, '--api-keys'],
    [{ backends: 'brave' }, { BRAVE_API_KEY: 'secret' }, 'BRAVE_API_KEY'],
    [{}, { BRAVE_API_KEY: 'secret' }, undefined],
    [{}, {}, undefined],
  ] as const)('with %p and %p it says which secret it does not have', (flags, variables, name) => {
    const environment = { HOME: tmpdir(), ...variables }
    const loaded = loadConfig(flags, environment, '/')
    const lines = omittedSecrets({ environment, directory: '/', loaded, flags })
    expect(lines.map((line) => line.split(' ')[0])).toEqual(name === undefined ? [] : [name])
  })
})
