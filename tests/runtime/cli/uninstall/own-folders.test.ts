import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { ownFolders } from '../../../../src/runtime/cli/uninstall/own-folders.ts'
import { uninstall } from '../../../../src/runtime/cli/uninstall/uninstall.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { addKey } from '../../../../src/runtime/server/key-file.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-own-folders-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let home: string
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'))
})

const put = (path: string, text = '') => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const shellHere = (more: Readonly<Record<string, string>> = {}) =>
  testShell({ environment: { HOME: home, PATH: '', TMPDIR: join(home, 'tmp'), ...more }, directory: home, reply: 'y' })
function folders(more: Readonly<Record<string, string>> = {}, keepsConfig = false) {
  const shell = shellHere(more)
  return ownFolders(loadConfig({}, shell.environment, home), shell, keepsConfig)
}
const paths = async (...args: Parameters<typeof folders>) =>
  (await folders(...args)).map(({ path }) => path.replace(`${home}/`, ''))

describe('what csp has written', () => {
  test('is named as far as it is there, the configuration only where it is to go', async () => {
    expect(await paths()).toEqual([])
    const all = ['.local/state/csp/usage/2026-01-01.ndjson', '.cache/csp/.doctor-1', '.config/csp/config.json']
    for (const path of all) put(join(home, path), '{}')
    expect(await paths()).toEqual(['.local/state/csp', '.cache/csp', '.config/csp'])
    expect(await paths({}, true)).toEqual(['.local/state/csp', '.cache/csp'])
  })

  test('goes with the folders around it that are empty then, up to the home', async () => {
    put(join(home, '.cache/csp/.doctor-1'))
    put(join(home, '.local/state/csp/usage/2026-01-01.ndjson'))
    put(join(home, '.local/other'))
    for (const folder of await folders()) await folder.remove()
    expect(readdirSync(home, { recursive: true })).toEqual(['.local', '.local/other'])
  })

  test('leaves the folder around it where that is not in the home', async () => {
    const outside = mkdtempSync(join(scratch, 'outside-'))
    put(join(outside, 'state/usage/2026-01-01.ndjson'))
    for (const folder of await folders({ CSP_STATE_DIR: join(outside, 'state') })) await folder.remove()
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync(outside)).toBe(true)
  })

  test('is what Bun has transpiled only in the folder that the launcher names', async () => {
    const variable = 'BUN_RUNTIME_TRANSPILER_CACHE_PATH'
    for (const name of ['csp-runtime', 'others']) put(join(home, name, 'x.pile'))
    expect(await paths({ [variable]: join(home, 'others') })).toEqual([])
    expect(await paths({ [variable]: join(home, 'csp-runtime') })).toEqual(['csp-runtime'])
  })

  test('is a configuration file in another place alone, with its keys', async () => {
    const file = join(home, 'etc/mine.json')
    put(file, '{}')
    put(join(home, 'etc/other'))
    const { config } = loadConfig({}, { HOME: home, CSP_CONFIG: file }, home)
    await addKey(config.keyFile, 'phone')
    expect(await paths({ CSP_CONFIG: file })).toEqual(['etc/mine.json'])
    for (const folder of await folders({ CSP_CONFIG: file })) await folder.remove()
    expect(readdirSync(join(home, 'etc'))).toEqual(['other'])
    put(file, '{}')
    const [alone] = await folders({ CSP_CONFIG: file })
    await alone?.remove()
    expect(readdirSync(join(home, 'etc'))).toEqual(['other'])
  })

  test('says where something cannot be removed', async () => {
    const file = join(home, 'etc/mine.json')
    put(file, '{}')
    const [folder] = await folders({ CSP_CONFIG: file })
    rmSync(file)
    mkdirSync(file)
    await expect(folder?.remove()).rejects.toThrow('mine.json')
  })
})

describe('csp uninstall', () => {
  async function csp(...args: readonly string[]) {
    const shell = shellHere({ CSP_PORT: '9' })
    const code = await runCommand(uninstall, args, shell)
    return { code, lines: shell.printed().split('\n'), complaints: shell.complaints() }
  }

  test('names what it would remove, asks, removes it and says what is left', async () => {
    put(join(home, '.cache/csp/.doctor-1'))
    put(join(home, '.config/csp/edge/wrangler.toml'), 'main = "edge.js"\nname = "my-search"\n')
    const cache = join(home, '.cache/csp')
    const { code, lines, complaints } = await csp('--keep-config')
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(lines).toEqual([
      ...['This would be removed:', `  cache: answers and pages: ${cache}`, 'Remove it? [y/N] Removed.'],
      'A Worker on Cloudflare is left in place. To delete it: npx wrangler delete my-search',
      expect.stringContaining('The program itself'),
      expect.stringContaining('Left in place: what you wrote'),
      '',
    ])
    expect(existsSync(cache)).toBe(false)
    rmSync(join(home, '.config'), { recursive: true })
    const nothing = await csp()
    expect([nothing.code, nothing.lines[0], nothing.lines.length]).toEqual([0, 'csp has left nothing here.', 4])
  })

  test('ends with 1 where something stays, and prints all as JSON alone', async () => {
    put(join(home, '.cache/csp/.doctor-1'))
    put(join(home, 'data/mine'))
    mkdirSync(join(home, '.local/state'), { recursive: true })
    symlinkSync(join(home, 'data'), join(home, '.local/state/csp'))
    put(join(home, '.cursor/mcp.json'), 'none of JSON')
    const { code, lines, complaints } = await csp('--yes', '--json')
    const { removed, problems, left } = JSON.parse(lines.join('\n'))
    expect([code, removed]).toEqual([1, [{ what: 'cache: answers and pages', path: join(home, '.cache/csp') }]])
    expect(problems).toEqual([expect.stringContaining(`logs: ${join(home, '.local/state/csp')}: It is a link to `)])
    expect(complaints).toStartWith('Not removed: state: ')
    expect(left).toHaveLength(2)
  })
})
