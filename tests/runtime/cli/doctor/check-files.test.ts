import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkFormat, checkKeyFile, checkPermissions } from '../../../../src/runtime/cli/doctor/check-files.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { testNeeding } from '../../../support/needs.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-check-files-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home with files of these modes. */
function homeWith(files: Readonly<Record<string, number>>, texts: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, mode] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, name), texts[name] ?? 'x')
    chmodSync(join(home, name), mode)
  }
  return home
}
const check = (home: string, more: Readonly<Record<string, string>> = {}) =>
  checkPermissions(loadConfig({}, { HOME: home, ...more }, home), { HOME: home })
const state = '.local/state/csp'

describe.if(process.platform !== 'win32')('what is meant for the owner alone', () => {
  test('is that where nobody else has any right to it', async () => {
    const home = homeWith({
      '.config/csp/keys.json': 0o600,
      [`${state}/log/csp.log`]: 0o600,
      '.claude/proxy.env': 0o400,
    })
    expect((await check(home)).status).toBe('ok')
    expect((await check(homeWith({}))).status).toBe('ok')
  })

  test.each([0o640, 0o604, 0o610, 0o601])('is not where others have a right, as with the mode %o', async (mode) => {
    const home = homeWith({ '.config/csp/keys.json': mode })
    const path = join(home, '.config/csp/keys.json')
    const finding = await check(home)
    expect(finding).toMatchObject({
      status: 'warn',
      message: expect.stringContaining(path),
      remedy: `chmod go= ${path}`,
      mend: { what: expect.stringContaining(path) },
    })
    expect(await finding.mend?.run()).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(mode & 0o700)
  })

  test('is named up to three files, and the others are counted', async () => {
    const names = ['log/csp.log', 'run/1.json', 'run/2.json', 'run/3.json'].map((name) => `${state}/${name}`)
    const messageFor = async (count: number) => {
      const home = homeWith(Object.fromEntries(names.slice(0, count).map((name) => [name, 0o644])))
      return (await check(home)).message.replaceAll(home, '')
    }
    expect((await messageFor(3)).match(/\/\./g)).toHaveLength(3)
    expect(await messageFor(3)).not.toContain('more')
    expect((await messageFor(4)).match(/\/\./g)).toHaveLength(3)
    expect(await messageFor(4)).toEndWith(' and 1 more')
  })

  test('is a configuration file only where a secret stands in it', async () => {
    const name = '.config/csp/config.json'
    const of = async (text: string, more = {}) =>
      (await check(homeWith({ [name]: 0o644 }, { [name]: text }), more)).status
    expect(await of('{"port": 1}')).toBe('ok')
    expect(await of('{"BRAVE_API_KEY": "k"}')).toBe('warn')
    expect(await of('{"port": 1}', { BRAVE_API_KEY: 'k' })).toBe('ok')
  })

  testNeeding('root', process.getuid?.() === 0)(
    'is that of another user only where it is not that of root',
    async () => {
      const home = homeWith({ '.config/csp/keys.json': 0o644 })
      const path = join(home, '.config/csp/keys.json')
      chownSync(path, 65_534, 65_534)
      expect(await check(home)).toMatchObject({ status: 'warn', remedy: `chown $(id -u) ${path}` })
      chownSync(path, 0, 0)
      expect((await check(home)).remedy).toBe(`chmod go= ${path}`)
    },
  )

  test('says that it did not help where a file is gone', async () => {
    const home = homeWith({ '.config/csp/keys.json': 0o644 })
    const { mend } = await check(home)
    rmSync(join(home, '.config'), { recursive: true })
    expect(mend?.run()).rejects.toThrow('ENOENT')
  })
})

test('a file of keys is named only where it is damaged', async () => {
  const home = homeWith({ damaged: 0o600, right: 0o600 }, { damaged: '{', right: '{"version": 1, "keys": []}' })
  const of = (name: string) => checkKeyFile({ keyFile: join(home, name) })
  expect([await of('right'), await of('none')]).toEqual([undefined, undefined])
  const path = join(home, 'damaged')
  expect(await of('damaged')).toMatchObject({ status: 'fail', check: 'keys', remedy: `mv '${path}' '${path}.damaged'` })
})

test('a state folder is named only where a newer csp wrote it', () => {
  const home = homeWith({ 'format.json': 0o600 }, { 'format.json': '{"version": 2}' })
  const message = expect.stringContaining('format 2')
  expect(checkFormat({ stateDir: home })).toMatchObject({ status: 'fail', check: 'state', message })
  expect(checkFormat({ stateDir: scratch })).toBeUndefined()
})
