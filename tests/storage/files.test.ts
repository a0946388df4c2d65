import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { collect } from '../../src/domain/answer.ts'
import { cached } from '../../src/executor/layers/cache/cached.ts'
import { files } from '../../src/storage/files.ts'
import { replaceFile } from '../../src/storage/replace-file.ts'
import { openStore, type Store } from '../../src/storage/store.ts'
import { keyOf } from '../contract/store.ts'
import { fakeExecutor, requestFor } from '../support/fake-executor.ts'

let directory: string
const writers: Bun.Subprocess<'ignore', 'pipe', 'inherit'>[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csp-files-'))
})
afterEach(async () => {
  // A test that failed midway may have left its writers at work.
  for (const writer of writers.splice(0)) {
    writer.kill('SIGKILL')
    await writer.exited
  }
  await rm(directory, { recursive: true, force: true })
})

test('the file store keeps files and folders to their owner', async () => {
  const inner = join(directory, 'cache')
  await openStore(files({ directory: inner })).set(keyOf('a'), 1)
  const paths = await readdir(inner, { recursive: true })
  expect(paths.toSorted().map((path) => path.split('/').length)).toEqual([1, 2, 3])
  for (const path of ['', ...paths]) {
    const info = await stat(join(inner, path))
    expect(info.mode & 0o777).toBe(info.isDirectory() ? 0o700 : 0o600)
  }
})

test('the file store writes no key of another form, and finds none', async () => {
  const driver = files({ directory })
  const foreign = ['a', 'v1:', 'v1:abc', `v2:${'a'.repeat(64)}`, `v1:${'A'.repeat(64)}`, `v1:../${'a'.repeat(61)}`]
  for (const key of foreign) {
    await expect(Promise.resolve(driver.setItem?.(key, '1', {}))).rejects.toThrow('Not a key')
    expect(await driver.getItem(key)).toBeNull()
    expect(await driver.hasItem(key, {})).toBe(false)
    await driver.removeItem?.(key, {})
  }
  expect(await readdir(directory)).toEqual([])
})

test('the file store leaves other files beside its entries alone', async () => {
  const store = openStore(files({ directory }))
  await store.set(keyOf('a'), 1)
  const foreign = [join(directory, 'notes.txt'), join(directory, 'v1', 'notes.txt')]
  for (const path of foreign) await writeFile(path, 'mine')
  await mkdir(join(directory, 'v1', 'zz'))
  expect((await store.stats()).entries).toBe(1)
  await store.clear()
  await openStore(files({ directory })).set(keyOf('b'), 1)
  for (const path of foreign) expect(await Bun.file(path).text()).toBe('mine')
})

test('the file store reads a folder in the place of a file as absent', async () => {
  const store = openStore(files({ directory }))
  await mkdir(pathOf('a'), { recursive: true })
  expect(await store.get(keyOf('a'))).toBeNull()
  expect(await files({ directory }).hasItem(keyOf('a'), {})).toBe(false)
})

test('the file store cannot write where a file has the place of its folder, and the search still works', async () => {
  const taken = join(directory, 'taken')
  await writeFile(taken, '')
  const store = openStore(files({ directory: taken }))
  await expect(store.set(keyOf('a'), 1)).rejects.toThrow()
  expect(await store.get(keyOf('a'))).toBeNull()
  expect(await store.stats()).toEqual({ entries: 0, bytes: 0 })
  const executor = cached({ storage: store, ttlSeconds: 60 })(fakeExecutor())
  const answer = await collect(executor.search(requestFor('q'), { signal: new AbortController().signal }))
  expect(answer.searches.length).toBe(1)
  await executor.close()
  expect((await executor.health()).cache?.problem).toContain('write')
})

test('the file store leaves no temporary file when the rename fails', async () => {
  await mkdir(pathOf('a'), { recursive: true })
  const driver = files({ directory })
  await expect(Promise.resolve(driver.setItem?.(keyOf('a'), '1', {}))).rejects.toThrow()
  await Promise.resolve(driver.setItem?.(keyOf('b'), '1', {}))
  expect((await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.tmp'))).toEqual([])
})

test('a file that cannot be replaced is named once, and nothing is left beside it', async () => {
  const folder = pathOf('a')
  await mkdir(folder, { recursive: true })
  const error = await replaceFile(folder, '1').catch((error: unknown) => error)
  const { code, message } = error as NodeJS.ErrnoException
  expect([code !== undefined, message.endsWith(`'${folder}' '${folder}'`)]).toEqual([true, false])
  expect((await readdir(dirname(folder))).filter((name) => name.endsWith('.tmp'))).toEqual([])
  // What fails at the open file says nothing of its path.
  const inside = join(directory, 'inside')
  const written = await replaceFile(inside, 7 as unknown as string).catch((error: unknown) => error)
  expect(written).toMatchObject({ path: inside, message: expect.stringMatching(/ '.*inside'$/) })
  expect((await readdir(directory)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('the file store removes at start the temporary files of dead writers, and none of running ones', async () => {
  const dead = Bun.spawn(['true'])
  await dead.exited
  const leftovers = [`${pathOf('a')}.${dead.pid}-0a1b2c3d-0.tmp`, `${pathOf('a')}.${process.pid}-0a1b2c3d-0.tmp`]
  const kept = [`${pathOf('a')}.${process.ppid}-0a1b2c3d-0.tmp`, `${pathOf('a')}.backup`]
  await mkdir(dirname(pathOf('a')), { recursive: true })
  for (const path of [...leftovers, ...kept]) await writeFile(path, '')
  await files({ directory }).dispose?.()
  for (const path of leftovers) expect(await Bun.file(path).exists()).toBe(false)
  for (const path of kept) expect(await Bun.file(path).exists()).toBe(true)
})

test('the file store is never torn, neither while others write nor after kill -9', async () => {
  const reader = openStore(files({ directory }))
  for (let round = 0; round < 5; round++) {
    const pair = [startWriter(), startWriter()]
    await Promise.all(pair.map(({ stdout }) => firstByteOf(stdout)))
    for (let reads = 0; reads < 100; reads++) expect(await readShared(reader)).toBe('whole')
    for (const writer of pair) writer.kill('SIGKILL')
    await Promise.all(pair.map(({ exited }) => exited))
    expect(await readShared(reader)).toBe('whole')
  }
  const next = files({ directory })
  await next.dispose?.()
  expect((await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.tmp'))).toEqual([])
})

function pathOf(name: string): string {
  const digits = keyOf(name).slice('v1:'.length)
  return join(directory, 'v1', digits.slice(0, 2), `${digits}.json`)
}

function startWriter(): Bun.Subprocess<'ignore', 'pipe', 'inherit'> {
  const program = join(import.meta.dir, '..', 'support', 'write-forever.ts')
  const writer = Bun.spawn([process.execPath, program, directory], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  writers.push(writer)
  return writer
}

async function firstByteOf(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader()
  await reader.read()
  reader.releaseLock()
}

/** `whole` when the entry is one that a writer has written; the raw file is looked at, because a store hides damage. */
async function readShared(store: Store): Promise<string> {
  const raw: unknown = JSON.parse(await Bun.file(pathOf('shared')).text())
  if (typeof raw !== 'object' || raw === null || !('body' in raw)) return 'no envelope'
  const body = await store.get<{ readonly letter: string; readonly text: string }>(keyOf('shared'))
  if (!body) return 'nothing'
  return /^(.)\1*$/.test(body.text) && body.text[0] === body.letter ? 'whole' : 'mixed'
}
