import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testNeeding } from '../../support/needs.ts'
import { runHere } from '../run-here.ts'

// A state folder that is odd, as commands meet it without a csp that runs.

const home = mkdtempSync(join(tmpdir(), 'csp-state-'))
afterAll(() => rmSync(home, { recursive: true }))

const commands = [['jobs'], ['jobs', 'show', 'a'], ['receipt'], ['status', '--days', '7']]
const csp = (command: readonly string[], stateDir: string) =>
  runHere([...command, '--state-dir', stateDir], { environment: { HOME: home }, directory: home })

async function expectUnreadable(command: readonly string[], stateDir: string, expected = 2) {
  const { code, output, errors } = await csp(command, stateDir)
  expect({ code, output, errors }).toEqual({ code: expected, output: '', errors: expect.stringContaining(stateDir) })
  expect(errors).toContain('csp doctor')
}

test.each(commands)(
  '%s %s says that a state folder that is a file, or a link to nothing, cannot be read',
  async (...command) => {
    const folder = mkdtempSync(join(home, 'odd-'))
    const [file, link] = [join(folder, 'a-file'), join(folder, 'a-link')]
    writeFileSync(file, '')
    symlinkSync(join(folder, 'nowhere'), link)
    for (const stateDir of [file, join(file, 'below'), link]) await expectUnreadable(command, stateDir)
  },
)

testNeeding('Linux', process.platform === 'linux')(
  'they say that a state folder that cannot be made cannot be read',
  async () => {
    for (const command of commands) await expectUnreadable(command, '/proc/nope/csp')
  },
)

testNeeding('Linux', process.platform === 'linux')(
  'csp start says that it cannot write its log there, and sends to doctor',
  async () => {
    await expectUnreadable(['start'], '/proc/nope/csp', 1)
  },
)

test('they find nothing in a state folder that is not there yet, and make none', async () => {
  const before = readdirSync(home)
  for (const command of [['jobs'], ['receipt'], ['status', '--days', '7']])
    expect(await csp(command, join(home, 'not/yet'))).toMatchObject({ code: 0, errors: '' })
  expect(readdirSync(home)).toEqual(before)
})
