import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BackgroundOptions,
  StartError,
  startInBackground,
  stopServer,
} from '../../../src/runtime/background/background.ts'
import { identityOf } from '../../../src/runtime/background/process-identity.ts'
import { testNeeding } from '../../support/needs.ts'
import { untilGone } from '../../support/processes.ts'
import { testedFolder } from '../../support/tested-program.ts'

const hasShell = testNeeding('sh', process.platform !== 'win32')

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-start-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

/** A record as a csp writes it, for `sh`, which knows its own process. */
const record = (pid: string) =>
  `{"pid": ${pid}, "url": "http://127.0.0.1:1", "port": 1, "version": "1", "token": "${'t'.repeat(32)}", "settings": "", "startedAt": "", "flags": [], "manager": "background"}`

/** Starts this script in the place of csp. */
async function start(script: string, more: Partial<BackgroundOptions> = {}) {
  const program = join(stateDir, 'program')
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const own = process.execPath
  process.execPath = program
  try {
    const environment = { PATH: '/usr/bin:/bin', CSP_MODEL: 'haiku' }
    return await startInBackground({ stateDir, environment, flags: ['--port', '1'], ...more })
  } finally {
    process.execPath = own
  }
}

const failureOf = (script: string) => start(script).catch((error: unknown) => error)

describe('a csp that is started in the background', () => {
  hasShell('has the flags and the variables of its caller, and says for whom it runs', async () => {
    // A file of its own for each start: a late look removes that of one that was ended.
    const note =
      'env | grep ^CSP_ | sort > env; echo $BUN_JSC_forceRAMSize > heap; echo "$*" > words; pwd > folder; mkdir -p run'
    const serve = `${note}\ncat > run/1-$(printf %x $$).json <<EOF\n${record('$$')}\nEOF\nexec sleep 60`
    for (const [more, variables] of [
      [{}, ['CSP_MANAGER=background', 'CSP_MODEL=haiku']],
      [{ isForPrograms: true, takesOver: 12 }, ['CSP_MANAGER=programs', 'CSP_MODEL=haiku', 'CSP_TAKES_OVER=12']],
    ] as const) {
      const { pid } = await start(serve, more)
      try {
        const file = (name: string) => readFileSync(join(stateDir, name), 'utf8').trimEnd()
        expect(file('env').split('\n')).toEqual([...variables])
        expect(file('words')).toEndWith(' serve --port 1')
        expect(file('heap')).toBe(readFileSync(join(testedFolder, 'bin/heap-size'), 'utf8').trim())
        expect(file('folder')).toEndWith(stateDir)
        // It has a group of its own, which Ctrl-C in this terminal does not reach.
        if (existsSync('/proc/self/stat'))
          expect(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[2]).toBe(`${pid}`)
      } finally {
        process.kill(pid, 'SIGKILL')
        await untilGone([pid])
      }
    }
  })

  hasShell('and ends is an error with what it said on both outputs, and nothing that was said before', async () => {
    mkdirSync(join(stateDir, 'log'))
    writeFileSync(join(stateDir, 'log/csp.log'), 'éééé before\n')
    const failure = await failureOf('echo; echo one; echo two >&2; exit 1')
    expect(failure).toBeInstanceOf(StartError)
    expect(failure).toMatchObject({ message: 'csp did not start. It said:\none\ntwo' })
    expect(await failureOf('exit 1')).toMatchObject({
      message: 'csp did not start. It said:\ncsp exited without output.',
    })
  })

  hasShell('and is no program is an error', async () => {
    rmSync(join(stateDir, 'program'), { force: true })
    const own = process.execPath
    process.execPath = join(stateDir, 'program')
    try {
      const starting = startInBackground({ stateDir, environment: {}, flags: [] })
      await expect(starting).rejects.toThrow('csp did not start.')
    } finally {
      process.execPath = own
    }
  })

  hasShell('and does not listen within half a minute is ended', async () => {
    let ms = 0
    let isStarted = false
    const clock = spyOn(performance, 'now').mockImplementation(() => ms)
    const sleep = Bun.sleep
    const pause = spyOn(Bun, 'sleep').mockImplementation(async () => {
      isStarted ||= existsSync(join(stateDir, 'pid'))
      if (isStarted) ms += 10_000
      else await sleep(10)
    })
    try {
      expect(await failureOf('echo $$ > pid; exec sleep 60')).toBeInstanceOf(StartError)
    } finally {
      pause.mockRestore()
      clock.mockRestore()
    }
    expect(ms).toBe(30_000)
    await untilGone([Number(readFileSync(join(stateDir, 'pid'), 'utf8'))])
  })

  test('needs a log, and the error names it and what to do', async () => {
    writeFileSync(join(stateDir, 'log'), '')
    const path = join(stateDir, 'log/csp.log')
    const failure = await failureOf('exit 0')
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(
      /\((?:EEXIST|ENOTDIR)\)\. Name another folder with --state-dir; csp doctor checks it\.$/,
    )
    expect(String(failure)).toContain(`csp cannot write its log ${path} (`)
  })
})

describe('a csp that is stopped', () => {
  const own = identityOf(process.pid)
  const server = (identity: string | undefined) => ({ pid: process.pid, identity }) as Parameters<typeof stopServer>[0]

  /** Stops this process, in which no signal arrives. */
  async function stopped(identity: string | undefined, isForced: boolean) {
    let ms = 0
    const signals: unknown[] = []
    const kill = spyOn(process, 'kill').mockImplementation((_, signal) => {
      if (signal !== 0) signals.push(signal)
      return true
    })
    const clock = spyOn(performance, 'now').mockImplementation(() => ms)
    const pause = spyOn(Bun, 'sleep').mockImplementation(async () => {
      ms += 1000
    })
    try {
      return { outcome: await stopServer(server(identity), isForced), signals, ms }
    } finally {
      for (const each of [kill, clock, pause]) each.mockRestore()
    }
  }

  test('is asked once and has 12 seconds, or by force three', async () => {
    expect(await stopped(own, false)).toEqual({ outcome: 'still-running', signals: ['SIGTERM'], ms: 13_000 })
    expect(await stopped(own, true)).toEqual({ outcome: 'still-running', signals: ['SIGKILL'], ms: 4000 })
  })

  test('is no process that got its id', async () => {
    expect(await stopped('of another boot', true)).toEqual({ outcome: 'stopped', signals: [], ms: 0 })
  })
})
