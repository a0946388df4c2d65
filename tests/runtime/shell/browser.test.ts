import { afterAll, describe, expect, jest, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { openInBrowser } from '../../../src/runtime/shell/browser.ts'
import { testNeeding } from '../../support/needs.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-browser-'))
afterAll(() => rmSync(home, { recursive: true }))

/** A folder of PATH with a program that writes its arguments down, one a line. */
function opener(name: string, more = '') {
  const folder = mkdtempSync(join(home, 'bin-'))
  const seen = join(folder, 'seen')
  writeFileSync(join(folder, name), `#!/bin/sh\nfor word in "$@"; do echo "$word" >> '${seen}'; done\n${more}\n`, {
    mode: 0o755,
  })
  return { environment: { PATH: folder }, seen }
}

describe('a page in the browser', () => {
  test.each([
    ['linux', 'xdg-open', []],
    ['linux', 'gio', ['open']],
    ['darwin', 'open', []],
    ['win32', 'rundll32.exe', ['url.dll,FileProtocolHandler']],
  ] as const)('on %s is opened by %s, and no shell reads its address', async (platform, name, before) => {
    const { environment, seen } = opener(name)
    const url = `https://example.org/?q=$(touch%20${home}/owned)&a=1;touch${home}/owned|x'y`
    expect(await openInBrowser(url, environment, platform)).toBe(true)
    await eventually(() => existsSync(seen))
    expect(readFileSync(seen, 'utf8')).toBe([...before, new URL(url).href, ''].join('\n'))
    expect(existsSync(join(home, 'owned'))).toBe(false)
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'nonsense', '-h'])('is never %s', async (url) => {
    const { environment, seen } = opener('xdg-open')
    expect(await openInBrowser(url, environment, 'linux')).toBe(false)
    expect(existsSync(seen)).toBe(false)
  })

  test('is not there without a program, or with one that fails', async () => {
    expect(await openInBrowser('https://example.org/', { PATH: home }, 'linux')).toBe(false)
    const { environment } = opener('xdg-open', 'exit 3')
    expect(await openInBrowser('https://example.org/', environment, 'linux')).toBe(false)
  })

  test('is not there with a program that cannot be run', async () => {
    const folder = mkdtempSync(join(home, 'bin-'))
    writeFileSync(join(folder, 'xdg-open'), '\x7fELF and no more', { mode: 0o755 })
    expect(await openInBrowser('https://example.org/', { PATH: folder }, 'linux')).toBe(false)
  })

  testNeeding('/proc', existsSync('/proc/self/stat'))(
    'is there after two seconds with a program that runs on, which Ctrl-C in the terminal of csp does not end',
    async () => {
      const { environment, seen } = opener(
        'xdg-open',
        'read -r stat < /proc/$$/stat; echo "$stat" > "$0.stat"; read -r end < "$0.end"',
      )
      const program = join(environment.PATH, 'xdg-open')
      Bun.spawnSync(['mkfifo', `${program}.end`])
      jest.useFakeTimers()
      try {
        let isOpen: boolean | undefined
        const opening = openInBrowser('https://example.org/', environment, 'linux').then((result) => {
          isOpen = result
        })
        jest.advanceTimersByTime(1999)
        await new Promise((resolve) => setImmediate(resolve))
        expect(isOpen).toBeUndefined()
        jest.advanceTimersByTime(1)
        await opening
        expect(isOpen).toBe(true)
      } finally {
        jest.useRealTimers()
      }
      await eventually(
        () => existsSync(seen) && existsSync(`${program}.stat`) && readFileSync(`${program}.stat`, 'utf8') !== '',
      )
      const [pid, , , , group] = readFileSync(`${program}.stat`, 'utf8').split(' ')
      expect(group).toBe(pid ?? '')
      writeFileSync(`${program}.end`, 'end\n')
    },
  )
})
