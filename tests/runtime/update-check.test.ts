import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpdateCheck } from '../../src/runtime/update-check.ts'
import { version } from '../../src/runtime/version.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'
import { testShell } from './test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-update-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home whose registry has this answer. */
function machine(answer: () => Response) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const paths: string[] = []
  const registry = serveApi((request) => {
    paths.push(new URL(request.url).pathname)
    return answer()
  })
  return {
    home,
    paths,
    registry,
    memory: join(home, '.local/state/csp/update.json'),
    async check(args: readonly string[] = ['search'], more: Readonly<Record<string, string>> = {}, isTerminal = true) {
      const environment = { HOME: home, npm_config_registry: registry.url, ...more }
      const check = startUpdateCheck(args, testShell({ environment, directory: home, isTerminal }))
      expect(check?.note()).toBeUndefined()
      await check?.done
      return check?.note()
    },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}

const latest = (number: string) => () => Response.json({ name: 'claude-search-proxy', version: number })

describe('the note on a newer version', () => {
  test('names it and how to get it, once a day', async () => {
    await using home = machine(latest('99.0.0'))
    expect(await home.check()).toBe(
      `csp 99.0.0 is out, this is ${version}: git pull && npm install. CSP_NO_UPDATE_CHECK=1 ends this note.\n`,
    )
    expect(home.paths).toEqual(['/claude-search-proxy/latest'])
    expect(await home.check()).toBeUndefined()
    expect(home.paths).toHaveLength(1)
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString()
    writeFileSync(home.memory, JSON.stringify({ checkedAt: yesterday }))
    expect(await home.check([])).toContain('99.0.0')
  })

  test.each([
    ['the same version', latest(version)],
    ['an older version', latest('0.0.1')],
    ['a version that is none', latest('99.0.0; rm -rf')],
    ['no such package', () => Response.json({ error: 'Not found' }, { status: 404 })],
    ['no JSON', () => new Response('<html>')],
  ])('says nothing where the registry has %s', async (_, answer) => {
    await using home = machine(answer)
    expect(await home.check()).toBeUndefined()
    expect(home.paths).toHaveLength(1)
  })

  test.each<[string, readonly string[], Readonly<Record<string, string>>, boolean]>([
    ['where CSP_NO_UPDATE_CHECK is set', ['search'], { CSP_NO_UPDATE_CHECK: '1' }, true],
    ['where NO_UPDATE_NOTIFIER is set', ['search'], { NO_UPDATE_NOTIFIER: '1' }, true],
    ['in CI', ['search'], { CI: 'true' }, true],
    ['without a terminal', ['search'], {}, false],
    ['for csp config', ['config'], {}, true],
    ['for csp uninstall', ['uninstall'], {}, true],
    ['for csp --version', ['--version'], {}, true],
  ])('asks no registry %s', async (_, args, more, isTerminal) => {
    await using home = machine(latest('99.0.0'))
    expect(await home.check(args, more, isTerminal)).toBeUndefined()
    expect(home.paths).toEqual([])
    expect(existsSync(home.memory)).toBe(false)
  })

  test('asks the registry of the .npmrc of the home, and nothing is lost where it does not answer', async () => {
    await using home = machine(latest('99.0.0'))
    writeFileSync(join(home.home, '.npmrc'), `registry=${home.registry.url}/npm/\n`)
    expect(await home.check(['status'], { npm_config_registry: '' })).toContain('99.0.0')
    expect(home.paths).toEqual(['/npm/claude-search-proxy/latest'])
    mkdirSync(join(home.home, 'state'))
    const elsewhere = { CSP_STATE_DIR: join(home.home, 'state') }
    expect(await home.check(['status'], { ...elsewhere, npm_config_registry: 'http://127.0.0.1:9' })).toBeUndefined()
    expect(existsSync(join(home.home, 'state/update.json'))).toBe(false)
    expect(JSON.parse(readFileSync(home.memory, 'utf8'))).toMatchObject({ latest: '99.0.0' })
  })
})
