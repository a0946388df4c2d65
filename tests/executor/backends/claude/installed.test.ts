import { afterEach, beforeEach, describe, expect, jest, setSystemTime, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import type { EngineOptions } from '../../../../src/executor/backends/claude/engine-options.ts'
import { InstalledClaude } from '../../../../src/executor/backends/claude/installed.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { type CliScript, scriptedCli } from '../../../support/scripted-cli.ts'

let folder: ScratchHome
const closing = { controller: new AbortController() }
beforeEach(async () => {
  folder = await scratchHome()
  closing.controller = new AbortController()
  setSystemTime(start)
})
afterEach(async () => {
  setSystemTime()
  closing.controller.abort()
  await folder[Symbol.asyncDispose]()
})

const start = Date.parse('2026-03-15T12:00:00Z')
let clock = start
/** Sets the clock so many milliseconds behind the start of the test. */
const at = (ms: number) => {
  clock = start + ms
  setSystemTime(clock)
}

function install(
  script: CliScript = {},
  { offers = [true], ...more }: Partial<EngineOptions> & { offers?: boolean[] } = {},
) {
  const cli = scriptedCli(folder.path, script)
  const lines: string[] = []
  const engines: EngineOptions = {
    ...{ findBinary: () => cli.path, environment: { PATH: process.env['PATH'] }, workingDirectory: folder.path },
    ...{ model: 'sonnet', excerpts: 'lines', maxSessionSearches: 1, sessionContext: 'clear', version: '0' },
    ...{ auth: 'subscription', log: (level, line) => lines.push(`${level}: ${line}`) },
    ...more,
  }
  const offersSearch = jest.fn(async () => offers.shift() ?? true)
  const onUpdate = jest.fn()
  const { signal } = closing.controller
  const onFound = () => {}
  const installed = new InstalledClaude({ engines, offersSearch, onFound, onUpdate, closing: signal })
  return { cli, installed, lines, offersSearch, onUpdate }
}

const always = Number.POSITIVE_INFINITY

describe('a probe of the CLI', () => {
  test.each<[string, CliScript, boolean[], number | undefined, number]>([
    ['is good for a minute', {}, [true], undefined, 60_000],
    ['that found no WebSearch over MCP is good for a minute, also for a search', {}, [false, false], always, 60_000],
    ['that found no login is good for five seconds, also for a search', { isSignedIn: false }, [true], always, 5000],
    ['that found another program is good for five seconds, also for a search', { version: '?' }, [true], always, 5000],
  ])('%s', async (_, script, offers, whenGoodMs, ms) => {
    const { cli, installed } = install(script, { offers })
    await installed.probed(whenGoodMs)
    for (const [later, probes] of [
      [ms, 1],
      [ms + 1, 2],
    ] as const) {
      at(later)
      await Promise.all([installed.probed(whenGoodMs), installed.probed(whenGoodMs)])
      expect(cli.probes()).toBe(probes)
    }
    at(0) // The clock is set back.
    await installed.probed(whenGoodMs)
    expect(cli.probes()).toBe(3)
  })

  test('rests on what an earlier csp found; later ones ask, and a lost login is forgotten', async () => {
    const known = { facts: { version: '2.1.200', flags: ['--print'] }, login: { signedIn: true } }
    const memory = { recall: () => known, remember: jest.fn(), forgetLogin: jest.fn() }
    const { cli, installed } = install({}, { memory })
    expect(await installed.probed(always)).toMatchObject({ version: '2.1.200', signedIn: true, direct: true })
    expect(installed.flags).toEqual(new Set(['--print']))
    expect(cli.probes()).toBe(0)
    installed.forget()
    expect(memory.forgetLogin).toHaveBeenCalledTimes(1)
    at(60_001)
    expect(await installed.probed()).toMatchObject({ version: '2.1.129' })
    expect(cli.probes()).toBe(1)
    expect(memory.remember.mock.lastCall?.slice(1)).toEqual([
      expect.objectContaining({ version: '2.1.129' }),
      expect.objectContaining({ signedIn: true }),
    ])
  })

  test.each<CliScript>([{ isSignedIn: false }, { version: '?' }, { version: '2.1.100' }])(
    'that found %j is not remembered',
    async (script) => {
      const memory = { recall: () => ({}), remember: jest.fn(), forgetLogin: jest.fn() }
      await install(script, { memory }).installed.probed(always)
      expect(memory.remember).not.toHaveBeenCalled()
    },
  )

  test('that found no problem is good for every search, until it is forgotten', async () => {
    const { cli, installed } = install()
    const found = await installed.probed(always)
    expect(found).toMatchObject({ version: '2.1.129', signedIn: true, direct: true, problem: undefined })
    expect(installed.flags).toEqual(found.flags.known)
    expect(installed.flags).toContain('--print')
    at(86_400_000)
    await installed.probed(always)
    expect(cli.probes()).toBe(1)
    installed.forget()
    await installed.probed()
    expect(cli.probes()).toBe(2)
  })

  test('is not made again once csp closes, and what runs is waited for', async () => {
    const { cli, installed } = install({ onStart: 'sleep 0.1' })
    let isOver = false
    const probing = installed.probed().then(() => {
      isOver = true
    })
    await installed.settled()
    await probing
    expect(isOver).toBe(true)
    closing.controller.abort()
    at(60_001)
    await installed.probed()
    expect(cli.probes()).toBe(1)
  })

  test('that hangs is not waited for: what was found before is told, if there is something', async () => {
    const { cli, installed } = install({ onStart: 'exec sleep 60' }, { describeMs: 20 })
    expect((await installed.knownSoon()).problem).toBe('The Claude Code CLI has not answered yet.')
    closing.controller.abort()
    await installed.settled()
    closing.controller = new AbortController()
    const other = install({}, { describeMs: 2000 })
    expect((await other.installed.knownSoon()).version).toBe('2.1.129')
    other.cli.write({ onStart: 'exec sleep 60' })
    const impatient = install({}, { describeMs: 150 })
    await impatient.installed.probed()
    impatient.cli.write({ onStart: 'exec sleep 60' })
    at(60_001)
    expect((await impatient.installed.knownSoon()).version).toBe('2.1.129')
    expect(cli.probes()).toBeGreaterThan(0)
  })

  test('that finds a problem leaves what is known of the CLI as it was', async () => {
    const { cli, installed } = install({}, { offers: [true, false] })
    await installed.probed()
    const { flags } = installed
    cli.write({ version: '?' })
    at(60_001)
    expect((await installed.probed()).problem).toContain('does not run as')
    expect([installed.hasDirect, installed.flags]).toEqual([true, flags])
  })
})

describe('the search server', () => {
  test('is asked what it offers by the first probe, and one that fails offers nothing', async () => {
    const { installed, offersSearch } = install()
    offersSearch.mockRejectedValueOnce(new Error('It does not start.'))
    expect((await installed.probed()).direct).toBe(false)
    expect(installed.hasDirect).toBe(false)
    installed.askServerToo()
    expect(offersSearch).toHaveBeenCalledTimes(1)
  })

  test('is asked by the first search where it does not start ahead, and only once', async () => {
    const { installed, offersSearch } = install({}, { startsAhead: false, offers: [false] })
    expect((await installed.probed()).direct).toBe(true)
    expect(offersSearch).not.toHaveBeenCalled()
    installed.askServerToo()
    installed.askServerToo()
    expect(await installed.probed()).toMatchObject({ version: '2.1.129', direct: false })
    expect([installed.hasDirect, offersSearch.mock.calls.length]).toEqual([false, 1])
  })

  test('is asked by the first probe where a search comes before it', async () => {
    const { installed, offersSearch } = install({}, { startsAhead: false, offers: [false] })
    installed.askServerToo()
    expect(offersSearch).not.toHaveBeenCalled()
    expect((await installed.probed()).direct).toBe(false)
  })

  test('of a CLI that cannot be used says nothing', async () => {
    const { installed } = install({ version: '?' }, { startsAhead: false, offers: [false] })
    await installed.probed()
    installed.askServerToo()
    expect((await installed.probed()).problem).toContain('does not run as')
    expect(installed.hasDirect).toBe(true)
  })
})

describe('another CLI in the place of the first', () => {
  test('is looked for every ten seconds, and replaces it once it works', async () => {
    const { cli, installed, lines, offersSearch, onUpdate } = install({}, { offers: [true, true, false] })
    await installed.probed(always)
    at(10_001)
    await installed.probed(always) // The file is the same.
    expect(cli.probes()).toBe(1)
    cli.write({ version: '9.1.2' })
    at(20_001)
    await installed.probed(always)
    expect(cli.probes()).toBe(1)
    at(20_002)
    expect((await installed.probed(always)).version).toBe('2.1.129') // It goes on as it was meanwhile.
    await eventually(() => onUpdate.mock.calls.length === 1 && !installed.hasDirect)
    expect(await installed.probed(always)).toMatchObject({ version: '9.1.2', direct: false })
    expect([cli.probes(), offersSearch.mock.calls.length]).toEqual([2, 3])
    expect(lines).toEqual(['info: Version 9.1.2 of the Claude CLI was installed: its processes are replaced'])
  })

  test('is one of the same version as well', async () => {
    const { cli, installed, lines, onUpdate } = install({}, { lookMs: 0 })
    await installed.probed(always)
    cli.write({})
    at(1)
    await installed.probed(always)
    await eventually(() => onUpdate.mock.calls.length === 1)
    expect(lines).toEqual(['info: The Claude CLI (2.1.129) was installed: its processes are replaced'])
  })

  test('is one that the same file leads to, when it is probed again', async () => {
    const { cli, installed, lines, onUpdate } = install({ version: '$(cat "$folder/version")', onStart: '' })
    await Bun.write(`${folder.path}/version`, '9.1.1')
    cli.write({ version: `'"$(cat "$folder/version")"'` })
    expect((await installed.probed()).version).toBe('9.1.1')
    await Bun.write(`${folder.path}/version`, '9.1.2')
    installed.forget()
    expect((await installed.probed()).version).toBe('9.1.2')
    expect([lines.length, onUpdate.mock.calls.length]).toEqual([1, 1])
    installed.forget()
    await installed.probed()
    expect(onUpdate).toHaveBeenCalledTimes(1)
  })

  test.each<[string, (of: ReturnType<typeof install>) => void]>([
    ['cannot be used', ({ cli }) => cli.write({ version: '?' })],
    ['is none', () => {}],
    ['comes while csp closes', ({ cli }) => [cli.write({ version: '9.1.2' }), closing.controller.abort()]],
  ])('replaces nothing if it %s', async (name, change) => {
    let isThere = true
    const found = install({}, { lookMs: 0, findBinary: () => (isThere ? `${folder.path}/claude` : undefined) })
    const { cli, installed, onUpdate } = found
    await installed.probed(always)
    change(found)
    isThere = name !== 'is none'
    let ms = 0
    const isTried = async () => {
      at(++ms)
      expect((await installed.probed(always)).version).toBe('2.1.129')
      return name === 'cannot be used' ? cli.probes() > 2 : ms > 2
    }
    await eventually(isTried)
    expect(onUpdate).not.toHaveBeenCalled()
    if (name !== 'cannot be used') expect(cli.probes()).toBe(1)
  })

  test('is probed by one search of many', async () => {
    const { cli, installed, onUpdate } = install({}, { lookMs: 0 })
    await installed.probed(always)
    cli.write({ version: '9.1.2', onStart: 'sleep 0.05' })
    for (let ms = 1; ms < 5; ms++) {
      at(ms)
      await installed.probed(always)
    }
    await eventually(() => onUpdate.mock.calls.length === 1)
    expect(cli.probes()).toBe(2)
  })
})
