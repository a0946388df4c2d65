import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '@csp/lib/bytes'
import { quickTimers } from '@csp/testing/quick-timers'
import { receiptHtml } from '../../src/api/endpoints/receipts/html.ts'
import { receiptMarkdown } from '../../src/api/endpoints/receipts/markdown.ts'
import type { ReceiptDraft, ReceiptQuery } from '../../src/domain/receipt.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-receipts-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const day = 86_400_000
let folders = 0

function open(options: { maxBytes?: number; maxDays?: number; sandbox?: boolean } = {}) {
  const directory = join(scratch, `${++folders}`, 'receipts')
  const clock = { now: Date.parse('2026-11-20T10:00:00Z') }
  const store = receiptFiles({ directory, maxBytes: 200e6, maxDays: 90, now: () => clock.now, ...options })
  const keep = async (question: string, ...texts: readonly string[]) => {
    const id = (await store.keep(async () => draftOf(question, texts))) ?? ''
    await store.flush()
    return id
  }
  const files = () =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .filter((name) => /\.\w+$/.test(name))
  return { directory, clock, store, keep, files }
}

function draftOf(question: string, texts: readonly string[]): ReceiptDraft {
  const sources = texts.map((text, place) => ({
    ...{ number: place + 1, url: `https://example.org/${place}`, title: 'Bees', passages: ['Bees dance.'], text },
  }))
  const said = { sentence: 'Bees dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] } as const
  const wrote = { model: 'claude-x', strategy: 'standard', answer: 'Bees dance. [1]' }
  return { owner: 'phone', question, ...wrote, sentences: [said], sources }
}

const bytesOf = (directory: string, names: readonly string[]) =>
  names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)

test('a receipt is read with the texts of its pages, as soon as its id is known', async () => {
  const { store } = open()
  const id = (await store.keep(async () => draftOf('how?', ['Bees dance.\n']))) ?? ''
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  const found = await store.read(id)
  expect(found).toMatchObject({ id, owner: 'phone', question: 'how?', time: '2026-11-20T10:00:00.000Z' })
  expect(found?.sources[0]).toMatchObject({ text: 'Bees dance.\n', hash: await sha256('Bees dance.\n') })
})

test('what the sandbox answered says so in every form', async () => {
  const says = /Sandbox: nothing here comes from the web/
  for (const sandbox of [true, false]) {
    const { keep, store } = open({ sandbox })
    const receipt = await store.read(await keep('how?', 'Bees dance.'))
    if (!receipt) throw new Error('There is no receipt.')
    expect([
      receipt.sandbox === true,
      says.test(receiptMarkdown(receipt)),
      says.test(await receiptHtml(receipt)),
    ]).toEqual(Array(3).fill(sandbox))
  }
})

test('the text of a page is kept once, and only the owner can read the files', async () => {
  const { keep, files, directory } = open()
  await keep('one', 'the same', 'another')
  const path = join(directory, 'pages', `${await sha256('the same')}.md`)
  const { ino } = statSync(path)
  await keep('two', 'the same')
  expect(statSync(path).ino).toBe(ino)
  expect(files().filter((name) => name.endsWith('.md'))).toHaveLength(2)
  for (const name of files()) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

test.each(['../receipts', '..', '', 'x'.repeat(32), `../${'a'.repeat(29)}`, `${'a'.repeat(32)}/`, 'A'.repeat(32)])(
  'there is no receipt %s',
  async (id) => {
    const { store, keep, directory } = open()
    await keep('one', 'text')
    writeFileSync(join(directory, '..', 'secret.json'), '{}')
    expect(await store.read(id)).toBeUndefined()
  },
)

test('a torn receipt is none, and a torn text is left out', async () => {
  const { store, keep, directory } = open()
  const [torn, whole] = [await keep('torn', 'one text'), await keep('whole', 'another text')]
  writeFileSync(join(directory, `${torn}.json`), '{"id":')
  writeFileSync(join(directory, 'pages', `${await sha256('another text')}.md`), 'another')
  expect(await store.read(torn)).toBeUndefined()
  const [source] = (await store.read(whole))?.sources ?? []
  expect(source).toMatchObject({ hash: await sha256('another text'), text: undefined })
  expect(await store.list({ limit: 9 })).toMatchObject({ receipts: [{ question: 'whole' }] })
  // Whoever cites the page next mends it.
  await keep('again', 'another text')
  expect((await store.read(whole))?.sources[0]?.text).toBe('another text')
})

test('the oldest go first, a text after every receipt that names it', async () => {
  const { store, keep, clock, files, directory } = open({ maxBytes: 12_000 })
  const shared = 's'.repeat(3000)
  const ids: string[] = []
  for (let count = 0; count < 8; count++) {
    ids.push(await keep(`question ${count}`, shared, `${count}`.repeat(2000)))
    clock.now += 60_000
  }
  await store.sweep()
  const found = await Promise.all(ids.map((id) => store.read(id)))
  const first = found.findIndex((receipt) => receipt)
  expect(first).toBeGreaterThan(0)
  // No gaps, and each that is left has its texts.
  for (const receipt of found.slice(first))
    expect(receipt?.sources.map(({ text }) => text?.length)).toEqual([3000, 2000])
  expect(bytesOf(directory, files())).toBeLessThanOrEqual(12_000)
})

test('all may be as large as the limit, and not a byte larger', async () => {
  const { keep, files, directory } = open()
  for (const question of ['one', 'two', 'three']) await keep(question, `text of ${question}`)
  const maxBytes = bytesOf(directory, files())
  await receiptFiles({ directory, maxBytes, maxDays: 9000 }).sweep()
  expect(files()).toHaveLength(6)
  await receiptFiles({ directory, maxBytes: maxBytes - 1, maxDays: 9000 }).sweep()
  expect(files().length).toBeLessThan(6)
})

test('a sweep comes with the first write, and when a twentieth of the limit was written since', async () => {
  const trial = open()
  await trial.keep('0', 'text 0')
  const { keep, files, directory, clock } = open({ maxBytes: 20 * bytesOf(trial.directory, trial.files()) })
  const leave = () => {
    const left = join(directory, `${'a'.repeat(32)}.json.1-a-1.tmp`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(left, '{')
    utimesSync(left, clock.now / 1000 - 90_000, clock.now / 1000 - 90_000)
  }
  const isLeft = () => files().some((name) => name.endsWith('.tmp'))
  leave()
  await keep('1', 'text 1')
  expect(isLeft()).toBe(false)
  leave()
  await keep('2', 'text 2')
  expect(isLeft()).toBe(true)
  await keep('3', 'text 3')
  expect(isLeft()).toBe(false)
})

test('two processes may sweep at once', async () => {
  const { keep, files, directory } = open()
  for (let count = 0; count < 9; count++) await keep(`${count}`, `text ${count}`)
  const both = [1, 2].map(() => receiptFiles({ directory, maxBytes: 1, maxDays: 9000 }))
  await Promise.all(both.map((store) => store.sweep()))
  expect(both.map(({ problem }) => problem)).toEqual([undefined, undefined])
  expect(files()).toEqual([])
})

test('what is too old is not shown, and goes', async () => {
  const { store, keep, clock, files } = open({ maxDays: 30 })
  const old = await keep('old', 'old text')
  clock.now += 20 * day
  const young = await keep('young', 'young text')
  clock.now += 10 * day
  expect(await store.read(old)).toMatchObject({ question: 'old' })
  clock.now++
  expect(await store.read(old)).toBeUndefined()
  clock.now += day
  expect(await store.list({ limit: 9 })).toMatchObject({ receipts: [{ id: young }] })
  await store.sweep()
  expect(files()).toHaveLength(2)
})

test('a list goes on behind the last one, for each owner alone', async () => {
  const { store, clock, directory } = open()
  for (let count = 0; count < 7; count++) {
    await store.keep(async () => ({ ...draftOf(`${count}`, []), owner: count % 2 ? 'laptop' : 'phone' }))
    await store.flush()
    clock.now += 60_000
  }
  const questions = async (query: Omit<ReceiptQuery, 'limit'>) => {
    const { receipts, next } = await store.list({ limit: 2, ...query })
    return { said: receipts.map(({ question }) => question).join(''), next }
  }
  const first = await questions({})
  expect(first.said).toBe('65')
  expect((await questions({ after: first.next })).said).toBe('43')
  const [newestId] = (await store.list({ limit: 1 })).receipts.map(({ id }) => id)
  expect((await questions({ after: newestId })).said).toBe('54')
  const own = await questions({ owner: 'laptop' })
  expect(own.said).toBe('53')
  const ownIds = (await store.list({ limit: 9, owner: 'laptop' })).receipts.map(({ id }) => id)
  expect(ownIds).toHaveLength(3)
  // Not that of another owner, which lies between them.
  expect(own.next).toBe(ownIds[1])
  expect(await questions({ owner: 'laptop', after: own.next })).toEqual({ said: '1', next: undefined })
  expect(await questions({ owner: 'nobody' })).toEqual({ said: '', next: undefined })
  expect(await questions({ after: '0'.repeat(32) })).toEqual({ said: '', next: undefined })
  // Another process has removed one and written another.
  const [newest] = readdirSync(directory).filter((name) => name.startsWith((first.next ?? '').slice(0, 8)))
  rmSync(join(directory, newest ?? ''))
  expect((await questions({})).said).toBe('64')
})

test('a list opens 500 files at most behind its first receipt, and none of another owner a second time', async () => {
  const { store, keep, directory, clock } = open()
  const older = await keep('older')
  const json = readFileSync(join(directory, `${older}.json`), 'utf8').replace('"phone"', '"laptop"')
  const times = (path: string) => utimesSync(path, clock.now / 1000, clock.now / 1000)
  clock.now += 60_000
  for (let count = 0; count < 499; count++) {
    const id = `${count}`.padStart(32, '0')
    writeFileSync(join(directory, `${id}.json`), json.replace(older, id))
    times(join(directory, `${id}.json`))
  }
  clock.now += 60_000
  const newer = await keep('newer')
  const list = async () => {
    const { receipts, next } = await store.list({ limit: 9, owner: 'phone' })
    return { said: receipts.map(({ question }) => question), next }
  }
  expect(await list()).toEqual({ said: ['newer'], next: newer })
  expect(await list()).toEqual({ said: ['newer', 'older'], next: undefined })
})

test('what a crash left half written goes after a day: another process may be writing it', async () => {
  const { store, keep, files, directory, clock } = open()
  const left = `${await keep('one')}.json.1-a-1.tmp`
  writeFileSync(join(directory, left), '{')
  utimesSync(join(directory, left), clock.now / 1000, clock.now / 1000)
  clock.now += day
  await store.sweep()
  expect(files()).toContain(left)
  clock.now++
  await store.sweep()
  expect(files()).not.toContain(left)
})

test('foreign files in the folder stay', async () => {
  const { store, keep, directory, clock } = open({ maxBytes: 1 })
  await keep('one', 'text')
  writeFileSync(join(directory, 'notes.json'), 'mine')
  clock.now += 200 * day
  await store.sweep()
  expect(readdirSync(directory)).toEqual(['notes.json', 'pages'])
})

test('a folder that cannot be written costs nothing but the receipt', async () => {
  const directory = join(scratch, 'blocked')
  writeFileSync(directory, 'a file')
  const store = receiptFiles({ directory, maxBytes: 1e6, maxDays: 1 })
  expect(await store.keep(async () => draftOf('one', ['text']))).toBeUndefined()
  expect(store.problem).toMatch(/ENOTDIR|EEXIST|not a directory/i)
  rmSync(directory)
  mkdirSync(directory)
  await store.keep(async () => draftOf('two', ['text']))
  await store.flush()
  expect(store.problem).toBeUndefined()
})

test('no more than fifty are written at once', async () => {
  const { store } = open()
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const ids = Array.from({ length: 51 }, () => store.keep(() => gate.then(() => draftOf('one', []))))
  release()
  const kept = await Promise.all(ids)
  expect(kept.filter((id) => id !== undefined)).toHaveLength(50)
})

test('a slow disk keeps no reply waiting, and what looks for the receipt waits for it', async () => {
  using _ = quickTimers()
  const { store, files, directory } = open()
  mkdirSync(directory, { recursive: true })
  const { promise, resolve } = Promise.withResolvers<ReceiptDraft>()
  const id = (await store.keep(() => promise)) ?? ''
  const [read, list, written] = [store.read(id), store.list({ limit: 9 }), store.flush().then(files)]
  resolve(draftOf('how?', []))
  expect(await read).toMatchObject({ question: 'how?' })
  expect((await list).receipts).toMatchObject([{ id }])
  expect(await written).toEqual([`${id}.json`])
})
