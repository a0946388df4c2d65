import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { retiredSettings } from '../../../src/runtime/config/retired.ts'
import { settings, variableOf } from '../../../src/runtime/config/settings.ts'
import { testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-retired-'))
afterAll(() => rmSync(home, { recursive: true }))
const entries = Object.entries(retiredSettings)

test('a name is either a setting or one that was', () => {
  const names = settings.map(({ flag }) => flag)
  expect(entries.filter(([name]) => names.includes(name))).toEqual([])
})

test.each(entries)(
  '--%s is accepted wherever it comes from, and said to be gone',
  async (name, { instead, isSwitch }) => {
    const variable = variableOf(name)
    const path = join(home, `${name}.json`)
    writeFileSync(path, JSON.stringify({ [name]: 'anything' }))
    const line = (origin: string) => `${origin} is no longer a setting: ${instead}.`
    const fromFile = loadConfig({ config: path }, { HOME: home }, home)
    expect(fromFile.warnings).toEqual([line(`${path} line 1: "${name}"`)])
    expect(loadConfig({}, { HOME: home, [variable]: 'anything' }, home).warnings).toEqual([line(variable)])

    const shell = testShell({ environment: { HOME: home }, directory: home })
    const args = ['config', `--${name}`, ...(isSwitch ? [] : ['anything'])]
    expect(await main(args, shell)).toBe(0)
    expect(shell.complaints().replaceAll(/\s+/g, ' ')).toContain(line(`--${name}`))
  },
)
