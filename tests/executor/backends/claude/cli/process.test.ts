import { afterEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import {
  type LineProcess,
  type ProcessOptions,
  startProcess,
} from '../../../../../src/executor/backends/claude/cli/process.ts'
import { testNeeding } from '../../../../support/needs.ts'
import { untilGone, zombies } from '../../../../support/processes.ts'

interface Run {
  readonly child: LineProcess
  readonly lines: readonly string[]
  /** Resolves with the first line. */
  readonly firstLine: Promise<string>
}

const started: LineProcess[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop()))
})

function run(command: readonly string[], options: Partial<ProcessOptions> = {}): Run {
  const lines: string[] = []
  const { promise: firstLine, resolve } = Promise.withResolvers<string>()
  const onLine = (line: string) => {
    lines.push(line)
    resolve(line)
  }
  const environment = { PATH: process.env['PATH'] ?? '' }
  const child = startProcess({ command, environment, directory: tmpdir(), onLine, ...options })
  started.push(child)
  return { child, lines, firstLine }
}

const shell = (script: string, options: Partial<ProcessOptions> = {}) => run(['/bin/sh', '-c', script], options)

describe('the output of a process', () => {
  test('comes as lines in order, and empty, broken and unfinished lines do no harm', async () => {
    const { child, lines } = shell(String.raw`printf 'one\n\n\n\377\376\ntwo\r\nthree\nunfinished'`)
    expect(await child.exited).toMatchObject({ code: 0, signal: null, reason: undefined })
    expect(lines).toEqual(['one', '\uFFFD\uFFFD', 'two\r', 'three'])
  })

  test('has whole characters, however its bytes are cut', async () => {
    // One byte, then three each: wherever a chunk of an even or a round length ends, it ends inside a character.
    const program = `process.stdout.write('x' + '€'.repeat(300_000) + '\\nend\\n')`
    const { child, lines } = run([process.execPath, '-e', program])
    await child.exited
    expect(lines.map((line) => line.length)).toEqual([300_001, 3])
    expect(lines[0]).toMatch(/^x€+$/)
  })

  test('without line breaks ends the process', async () => {
    const { child, lines } = shell('echo short; yes | tr -d "\\n"', { maxLineLength: 100_000 })
    expect(await child.exited).toMatchObject({ reason: 'line-too-long' })
    expect(lines).toEqual(['short'])
  })

  test('ends the process by default when a line has more than 16 Mi characters', async () => {
    const { child } = shell(`head -c ${16 * 1024 * 1024 + 1} /dev/zero; exec sleep 1000`)
    expect(await child.exited).toMatchObject({ reason: 'line-too-long' })
  }, 20_000)

  test('that has ended before it ends the process: it would write nothing more', async () => {
    const { child } = shell('exec 1>&-; exec sleep 1000')
    expect(await child.exited).toMatchObject({ signal: 'SIGTERM', reason: 'stopped' })
  })

  test('may have any number of long lines below the limit', async () => {
    const line = 'head -c 3000000 /dev/zero | tr "\\0" x; echo'
    const { child, lines } = shell(`${line}; ${line}; ${line}`, { maxLineLength: 3_000_000 })
    expect(await child.exited).toMatchObject({ code: 0 })
    expect(lines.map(({ length }) => length)).toEqual([3_000_000, 3_000_000, 3_000_000])
  })

  test('for errors comes as it is written, in whole characters', async () => {
    let heard = ''
    const program = `process.stderr.write('x' + '€'.repeat(100_000) + 'end')`
    const { child } = run([process.execPath, '-e', program], { onErrorText: (text) => (heard += text) })
    expect((await child.exited).stderr).toMatch(/^€{8189}end$/)
    expect(heard).toBe(`x${'€'.repeat(100_000)}end`)
  })

  test('of a flood of errors is read, and its end is kept', async () => {
    const { child, lines } = shell(
      'head -c 3000000 /dev/zero | tr "\\0" e >&2; echo "last words" >&2; echo out; exit 3',
    )
    const { code, stderr } = await child.exited
    expect({ code, lines, length: stderr.length }).toEqual({ code: 3, lines: ['out'], length: 8192 })
    expect(stderr).toMatch(/^e+last words\n$/)
  })
})

describe('the input of a process', () => {
  test('goes in as lines, and its end asks the child to finish', async () => {
    const { child, lines } = run(['cat'])
    child.write('{"a":"é"}')
    child.write('two')
    child.closeInput()
    expect(await child.exited).toMatchObject({ code: 0 })
    expect(lines).toEqual(['{"a":"é"}', 'two'])
  })

  test('is ignored by a child that is gone or does not read', async () => {
    const gone = run(['true'])
    await gone.child.exited
    const deaf = shell('exec 0<&-; echo ready; sleep 1000')
    await deaf.firstLine
    for (const { child } of [gone, deaf]) {
      for (let count = 0; count < 20; count++) child.write('short')
      for (let count = 0; count < 20; count++) child.write('x'.repeat(100_000))
      child.closeInput()
      child.write('more')
    }
    await deaf.child.stop()
    await new Promise((resolve) => setImmediate(resolve)) // an unhandled rejection would fail the test here
    expect(gone.child.running).toBe(false)
  })
})

describe('the start of a process', () => {
  test('gives the child the named environment and directory, and no others', async () => {
    const environment = { PATH: process.env['PATH'] ?? '', GIVEN: 'yes' }
    const { child, lines } = run(['/usr/bin/env'], { environment })
    await child.exited
    expect(lines.toSorted()).toEqual([`GIVEN=yes`, `PATH=${environment.PATH}`])
    const place = run(['pwd'], { directory: '/' })
    await place.child.exited
    expect(place.lines).toEqual(['/'])
  })

  test('throws when the program does not exist', () => {
    expect(() => run(['/nowhere/claude'])).toThrow()
  })
})

describe('the stop of a process', () => {
  test('ends a child with SIGTERM, and may be repeated', async () => {
    const { child, firstLine } = shell('echo ready; exec sleep 1000')
    await firstLine
    expect(child.running).toBe(true)
    const [first, second] = await Promise.all([child.stop(), child.stop()])
    expect(first).toEqual({ code: null, signal: 'SIGTERM', stderr: '', reason: 'stopped' })
    expect(second).toEqual(first)
    expect(await child.stop()).toEqual(first)
    expect(child.running).toBe(false)
  })

  test('kills a child that ignores SIGTERM after the grace period', async () => {
    const { child, firstLine } = shell('trap "" TERM; echo ready; while :; do sleep 1000; done', { graceMs: 50 })
    await firstLine
    expect(await child.stop()).toMatchObject({ signal: 'SIGKILL', reason: 'stopped' })
  })

  test('asks once, and kills after a second and a half what has not ended by then', async () => {
    const { child, firstLine } = shell('trap "" TERM; echo ready; while :; do sleep 1000; done')
    await firstLine
    const kill = spyOn(process, 'kill')
    const sent = () => kill.mock.calls.map(([pid, signal]) => [pid, signal])
    jest.useFakeTimers()
    try {
      void child.stop()
      void child.stop()
      expect(child.running).toBe(false)
      jest.advanceTimersByTime(1499)
      expect(sent()).toEqual([[-child.pid, 'SIGTERM']])
      jest.advanceTimersByTime(1)
      expect(sent().slice(1)).toEqual([[-child.pid, 'SIGKILL']])
    } finally {
      jest.useRealTimers()
      kill.mockRestore()
    }
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL', reason: 'stopped' })
  })

  test.each([
    ['ended', 'exit 3', { code: 3, signal: null }],
    ['was killed', 'kill -9 $$', { code: null, signal: 'SIGKILL' }],
  ])('sends no signal to what %s by itself: its number may be that of another by now', async (_, script, exit) => {
    const { child } = shell(script)
    expect(child.running).toBe(true)
    await child.exited
    expect(child.running).toBe(false)
    const kill = spyOn(process, 'kill')
    try {
      expect(await child.stop()).toEqual({ ...exit, stderr: '', reason: undefined })
      expect(kill).not.toHaveBeenCalled()
    } finally {
      kill.mockRestore()
    }
  })

  test('ends grandchildren too, also those that ignore SIGTERM', async () => {
    const { child, firstLine } = shell('(trap "" TERM; echo $(exec sh -c "echo \\$PPID"); sleep 1000) & wait')
    const grandchild = Number(await firstLine)
    await child.stop()
    await untilGone([grandchild])
  })

  test('is not delayed by a grandchild that outlives its parent and holds the pipes, and ends it', async () => {
    const { child, firstLine } = shell('sleep 1000 & echo $!')
    const grandchild = Number(await firstLine)
    jest.useFakeTimers()
    try {
      let isOver = false
      void child.exited.then(() => {
        isOver = true
      })
      while (child.running) await new Promise(setImmediate)
      for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
      jest.advanceTimersByTime(299)
      await new Promise(setImmediate)
      expect(isOver).toBe(false)
      jest.advanceTimersByTime(1)
      expect(await child.exited).toMatchObject({ code: 0, reason: undefined })
    } finally {
      jest.useRealTimers()
    }
    await untilGone([grandchild])
    expect(await child.stop()).toMatchObject({ code: 0, reason: undefined })
  })

  testNeeding('setsid', Bun.which('setsid') !== null)(
    'closes the pipes of a grandchild that has left the group, which may not speak for its parent',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'csp-pipes-'))
      const [gate, said] = [join(folder, 'gate'), join(folder, 'said')]
      // Once something comes through the gate it writes to each pipe until nobody reads that any more.
      const write = 'tries=0; while echo late >&$pipe && [ $tries -lt 100 ]; do tries=$((tries+1)); sleep 0.02; done'
      const late = `read line <${gate}; for pipe in 1 2; do ${write}; echo $((tries<100)) >>${said}; done; echo end >>${said}`
      const { child } = shell(`mkfifo ${gate}; trap "" PIPE; setsid sh -c '${late}' & echo early`)
      try {
        expect(await child.exited).toMatchObject({ code: 0 })
        await Bun.write(gate, 'now\n')
        await eventually(() => existsSync(said) && readFileSync(said, 'utf8').endsWith('end\n'))
        expect(readFileSync(said, 'utf8')).toBe('1\n1\nend\n')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )

  test('leaves no zombie', async () => {
    const runs = [shell('echo ready; exec sleep 1000'), run(['true']), shell('kill -9 $$')]
    await Promise.all(runs.map(({ child }) => child.stop()))
    expect(zombies()).toEqual([])
  })
})

describe('when csp ends, its children and their children end too', () => {
  const program = join(import.meta.dir, '../../../../fixtures/start-and-end.ts')
  // The launcher starts csp with this flag.
  const flags = [[], ['--no-orphans']]
  const ends = ['exit', 'throw', 'SIGKILL', 'a later SIGKILL'].flatMap((how) =>
    flags.map((given) => [how, given] as const),
  )
  test.each(ends)('with the end caused by %s, by a Bun with %j', async (how, given) => {
    const { BUN_FEATURE_FLAG_NO_ORPHANS: _, ...env } = process.env
    const parent = Bun.spawn([process.execPath, ...given, program, how], { env, stdout: 'pipe', stderr: 'ignore' })
    const pids = (await new Response(parent.stdout).text()).trim().split('\n').map(Number)
    await parent.exited
    expect(pids).toHaveLength(how === 'a later SIGKILL' ? 4 : 2)
    await untilGone(pids)
  })

  test.each([
    ['Ctrl-C', 'SIGINT'],
    ['the end', 'SIGHUP'],
  ] as const)('with %s of its terminal, which reaches all of its group', async (_, signal) => {
    const { BUN_FEATURE_FLAG_NO_ORPHANS: __, ...env } = process.env
    const parent = spawn(process.execPath, [program, 'not'], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pids = await new Promise<number[]>((resolve) => {
      let said = ''
      parent.stdout.on('data', (chunk) => {
        said += chunk
        if (/\d\n\d+\n$/.test(said)) resolve(said.trim().split('\n').map(Number))
      })
    })
    if (parent.pid === undefined) throw new Error('It has not started.')
    process.kill(-parent.pid, signal)
    await untilGone([...pids, parent.pid])
  })

  testNeeding('node', Bun.which('node') !== null)(
    'and a program of node or Bun ends whose processes have ended',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'csp-ends-'))
      try {
        await Bun.build({ entrypoints: [program], target: 'node', outdir: folder, naming: 'program.mjs' })
        for (const command of [
          ['node', join(folder, 'program.mjs')],
          [process.execPath, program],
        ])
          expect(await Bun.spawn([...command, 'nothing'], { timeout: 20_000, stdin: 'ignore' }).exited).toBe(0)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    60_000,
  )
})
