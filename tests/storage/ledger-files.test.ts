import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { type DaySpending, dayOf, type Ledger, nothing, sumOf } from '../../src/executor/layers/metering/ledger.ts'
import { ledgerFiles } from '../../src/storage/ledger-files.ts'
import { testNeeding } from '../support/needs.ts'
import { mayMount, mount } from '../support/small-disk.ts'

const now = Date.parse('2026-11-20T10:00:00Z')
const today = '2026-11-20'

let parent: string
let directory: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'csp-ledger-'))
  directory = join(parent, 'state', 'usage')
})
afterEach(async () => {
  await chmod(parent, 0o700)
  await rm(parent, { recursive: true, force: true })
})

const open = () => ledgerFiles({ directory, now: () => now })
const fileOf = (day: string) => join(directory, `${day}.ndjson`)
const spent = (more: Partial<DaySpending> = {}): DaySpending => ({
  ...nothing,
  day: today,
  caller: 'phone',
  backend: 'claude',
  requests: 1,
  searches: 1,
  inputTokens: 10,
  outputTokens: 2,
  ...more,
})

async function total(ledger: Ledger, since = today) {
  await ledger.refresh(since)
  return sumOf(ledger.since(since))
}

test('the ledger creates nothing before the first entry, and then files for its owner alone', async () => {
  const ledger = open()
  expect(await total(ledger)).toEqual(nothing)
  expect(await readdir(parent)).toEqual([])
  await ledger.add(spent())
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  expect((await stat(fileOf(today))).mode & 0o777).toBe(0o600)
})

test('the ledger counts an entry at once, and none twice', async () => {
  const ledger = open()
  const written = ledger.add(spent())
  expect(sumOf(ledger.since(today)).searches).toBe(1)
  await written
  expect(await total(ledger)).toMatchObject({ requests: 1, searches: 1, inputTokens: 10, outputTokens: 2 })
  await Promise.all([ledger.refresh(today), ledger.refresh(today)])
  expect(await total(ledger)).toMatchObject({ requests: 1 })
})

test('the ledgers of two processes count each entry once, in whatever order they write and read', async () => {
  const [one, two] = [open(), open()]
  for (let round = 1; round <= 20; round++) {
    const writes = [one.add(spent()), one.add(spent({ caller: 'tablet' })), two.add(spent())]
    await Promise.all([one.refresh(today), two.refresh(today), ...(round % 3 ? writes : [])])
    await Promise.all(writes)
    expect([await total(one), await total(two)].map(({ requests }) => requests)).toEqual([3 * round, 3 * round])
  }
  // Entries of the same moment are one write.
  expect((await readFile(fileOf(today), 'utf8')).split('\n').filter(Boolean)).toHaveLength(60)
})

test('the ledger reads nothing where it alone has written', async () => {
  const ledger = open()
  for (let round = 1; round <= 2; round++) {
    await ledger.add(spent())
    // Lines of another process, if they were read.
    const text = await readFile(fileOf(today), 'utf8')
    await writeFile(fileOf(today), text.replaceAll(/(?<="writer":")[^"]+/g, 'x'.repeat(8)))
    expect(await total(ledger)).toMatchObject({ requests: round })
  }
})

test('the ledger sums by day, caller and backend', async () => {
  const ledger = open()
  await ledger.add(spent())
  await ledger.add(spent({ searches: 3 }))
  await ledger.add(spent({ caller: 'desk' }))
  await ledger.add(spent({ backend: 'brave', searches: 0, failures: 1 }))
  const rows = ledger
    .since(today)
    .map(({ caller, backend, searches, failures }) => [caller, backend, searches, failures])
  expect(rows.toSorted()).toEqual([
    ['desk', 'claude', 1, 0],
    ['phone', 'brave', 0, 1],
    ['phone', 'claude', 4, 0],
  ])
})

test('the ledger finds all entries after a restart, also those of the days before', async () => {
  await open().add(spent())
  await open().add(spent({ day: '2026-11-18', searches: 5 }))
  const ledger = open()
  expect(await total(ledger)).toMatchObject({ searches: 1 })
  expect(await total(ledger, '2026-11-18')).toMatchObject({ searches: 6 })
})

test('the ledger of one process sees from then on what another writes', async () => {
  const [first, second] = [open(), open()]
  await first.add(spent())
  expect(await total(second)).toMatchObject({ searches: 1 })
  await second.add(spent({ searches: 2 }))
  await first.add(spent({ searches: 4 }))
  expect(await total(second)).toMatchObject({ searches: 7 })
  expect(await total(first)).toMatchObject({ searches: 7 })
})

test('the ledger loses no line when two processes write at the same time', async () => {
  const script = join(import.meta.dir, '../fixtures/write-ledger.ts')
  const writers = ['a', 'b'].map((caller) =>
    Bun.spawn([process.execPath, script, directory, caller, '200'], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0])
  const ledger = ledgerFiles({ directory })
  const day = dayOf(Date.now(), 1)
  expect(await total(ledger, day)).toMatchObject({ requests: 400, searches: 400 })
  expect(ledger.since(day).map(({ caller }) => caller)).toEqual(expect.arrayContaining(['a', 'b']))
})

test('the ledger loses no entry that was written before its process is killed', async () => {
  const script = join(import.meta.dir, '../fixtures/write-ledger.ts')
  const writer = Bun.spawn([process.execPath, script, directory, 'a', '1000000'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const day = dayOf(Date.now(), 1)
  const seen = ledgerFiles({ directory })
  while ((await total(seen, day)).requests < 50) await Bun.sleep(5)
  writer.kill('SIGKILL')
  await writer.exited
  const before = (await total(seen, day)).requests
  const ledger = ledgerFiles({ directory })
  expect((await total(ledger, day)).requests).toBe(before)
  await ledger.add(spent({ day: dayOf(Date.now()) }))
  expect((await total(seen, day)).requests).toBe(before + 1)
})

test('the ledger skips a torn line, and keeps the lines before and after it', async () => {
  await open().add(spent())
  await appendFile(fileOf(today), '\n{"caller":"phone","backend":"cl')
  const ledger = open()
  expect(await total(ledger)).toMatchObject({ searches: 1 })
  await open().add(spent({ searches: 2 }))
  expect(await total(ledger)).toMatchObject({ searches: 3 })
  expect(await total(open())).toMatchObject({ searches: 3 })
})

test('the ledger reads a line that is still being written when it is complete', async () => {
  const other = open()
  await other.add(spent())
  const line = await readFile(fileOf(today), 'utf8')
  const ledger = open()
  await writeFile(fileOf(today), line.slice(0, 40))
  expect(await total(ledger)).toEqual(nothing)
  await writeFile(fileOf(today), line)
  expect(await total(ledger)).toMatchObject({ searches: 1 })
})

test.each(['nonsense', '{}', '[]', '{"caller":1}', '\0\0\0', '{"writer":"x","caller":"phone","searches":-1}'])(
  'the ledger ignores the line %j',
  async (line) => {
    await open().add(spent())
    await appendFile(fileOf(today), `${line}\n`)
    const ledger = open()
    expect(await total(ledger)).toMatchObject({ requests: 1, searches: 1 })
    expect(ledger.problem).toBeUndefined()
  },
)

test('the ledger deletes days older than 31, and no other file, once a day', async () => {
  await mkdir(directory, { recursive: true })
  const ledger = open()
  for (const name of ['2026-10-20.ndjson', '2026-10-21.ndjson', 'notes.txt', '2020-01-01.txt']) {
    await writeFile(join(directory, name), '')
  }
  await ledger.add(spent())
  const kept = ['2020-01-01.txt', '2026-10-21.ndjson', '2026-11-20.ndjson', 'notes.txt']
  expect((await readdir(directory)).toSorted()).toEqual(kept)
  await writeFile(fileOf('2026-10-20'), '')
  await ledger.add(spent())
  expect(await readdir(directory)).toContain('2026-10-20.ndjson')
})

test('the ledger still counts where it cannot write, and reports why', async () => {
  await writeFile(join(parent, 'state'), 'a file where the folder should be')
  const ledger = open()
  await ledger.add(spent())
  expect(sumOf(ledger.since(today))).toMatchObject({ searches: 1 })
  expect(ledger.problem).toContain('ENOTDIR')
  await rm(join(parent, 'state'))
  await ledger.add(spent())
  expect(ledger.problem).toBeUndefined()
  expect(await total(ledger)).toMatchObject({ searches: 2 })
})

testNeeding('the right to mount', mayMount)(
  'what a full disk kept out is written once there is room, each entry once',
  async () => {
    using _disk = mount(directory, 'size=16k')
    const rest = join(directory, 'rest')
    await writeFile(rest, Buffer.alloc(16_384 - 4096))
    const ledger = open()
    // Some of one write fit into the last page, one is torn, and the others do not fit.
    const many = Array.from({ length: 40 }, (_, at) => spent({ caller: `caller-${at % 3}`, searches: at }))
    await Promise.all(many.map((entry) => ledger.add(entry)))
    expect(ledger.problem).toContain('ENOSPC')
    await ledger.add(spent({ day: '2026-11-19', searches: 7 }))
    expect(await total(ledger)).toMatchObject({ requests: 40, searches: 780 })
    const onDisk = await total(open())
    expect(onDisk.requests).toBeGreaterThan(0)
    expect(onDisk.requests).toBeLessThan(40)

    await ledger.close?.()
    expect(ledger.problem).toContain('ENOSPC')
    await rm(rest)
    await ledger.close?.()
    expect(ledger.problem).toBeUndefined()
    await ledger.close?.()
    for (const each of [ledger, open()]) {
      expect(await total(each)).toMatchObject({ requests: 40, searches: 780, inputTokens: 400 })
      expect(await total(each, '2026-11-19')).toMatchObject({ requests: 41, searches: 787 })
    }
  },
)

testNeeding('the right to mount', mayMount)('a full disk is tried again without a search', async () => {
  using _disk = mount(directory, 'size=16k')
  const rest = join(directory, 'rest')
  await writeFile(rest, Buffer.alloc(16_384)).catch(() => {})
  jest.useFakeTimers()
  try {
    const ledger = open()
    const entered = ledger.add(spent())
    jest.advanceTimersByTime(5)
    await entered
    expect(ledger.problem).toContain('ENOSPC')
    await rm(rest)
    jest.advanceTimersByTime(30_000)
    jest.useRealTimers()
    await eventually(async () => (await total(open())).searches === 1)
    expect(ledger.problem).toBeUndefined()
  } finally {
    jest.useRealTimers()
  }
})

test('the ledger lets others have turns while it reads a long day, and counts each line once', async () => {
  await open().add(spent())
  const [line] = (await readFile(fileOf(today), 'utf8')).split('\n').filter(Boolean)
  // Lines of each length, so that one is cut wherever a piece ends; one is far longer than a piece.
  const lines = Array.from({ length: 30_000 }, (_, at) => `${line}${' '.repeat(at % 97)}`)
  await writeFile(fileOf(today), `${lines.join('\n')}\n${'x'.repeat(200_000)}\n${line}\n{"torn`)
  const ledger = open()
  const seen = new Set<number>()
  let isRead = false
  const read = ledger.refresh(today).then(() => {
    isRead = true
  })
  while (!isRead) {
    await new Promise((resolve) => setTimeout(resolve))
    seen.add(sumOf(ledger.since(today)).requests)
  }
  await read
  expect(sumOf(ledger.since(today)).requests).toBe(30_001)
  expect([...seen].some((requests) => requests > 0 && requests < 30_001)).toBe(true)
  await appendFile(fileOf(today), `\n${line}\n`)
  expect(await total(ledger)).toMatchObject({ requests: 30_002 })
})
