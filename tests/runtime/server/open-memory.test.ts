// Starts threads of csp's own.

import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { SeenPage } from '../../../src/domain/memory.ts'
import { memoryPath, type OpenedMemory, openMemory, publicPages } from '../../../src/runtime/server/open-memory.ts'
import { MemoryFile } from '../../../src/storage/page-memory/memory-file.ts'
import { testNeeding } from '../../support/needs.ts'
import { mayMount, mount } from '../../support/small-disk.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-memory-'))
const opened: OpenedMemory[] = []
afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close()
})
afterAll(() => rmSync(scratch, { recursive: true }))

let folders = 0

function open({ pagesAllow = [] as string[], path = memoryPath(join(scratch, `${++folders}`)) } = {}) {
  const memory = openMemory({ path, maxBytes: 50e6, mayKeep: publicPages(pagesAllow) })
  opened.push(memory)
  const found = async (query: string) => {
    await memory.flush()
    return (await memory.recall({ query, filters: {}, owner: '' })).map(({ url }) =>
      url.replace('https://example.org/', ''),
    )
  }
  return { memory, path, found }
}

function page(name: string, text = `All of ${name} and of bees.`): SeenPage {
  return { url: `https://example.org/${name}`, title: name, text, extent: 'whole', owner: '' }
}

test('what is kept is found, also by the next one that opens the file', async () => {
  const { memory, found, path } = open()
  memory.keep([page('marmots'), page('badgers')])
  expect(await found('marmots')).toEqual(['marmots'])
  expect(memory.health).toMatchObject({ pages: 2 })
  expect(
    (
      await memory.excerpts({
        urls: [page('badgers').url],
        query: 'bees',
        owner: '',
        seenAfter: '2020-01-01T00:00:00Z',
      })
    ).size,
  ).toBe(1)
  await memory.close()
  expect(await open({ path }).found('badgers')).toEqual(['badgers'])
})

test('what is forgotten does not come back with what waits to be written', async () => {
  const { memory, found } = open()
  memory.keep([page('marmots'), { ...page('badgers'), url: 'https://example.net/' }])
  expect(await memory.forget({ site: 'example.org' })).toBe(1)
  expect(await memory.stats()).toMatchObject({ pages: 1, sites: 1 })
  expect(memory.health).toMatchObject({ pages: 1 })
  expect(await found('marmots')).toEqual([])
})

test('what was forgotten goes from the file, too, also where another csp has forgotten it', async () => {
  const { memory, path } = open()
  memory.keep(Array.from({ length: 30 }, (_, index) => page(`p${index}`)))
  await memory.flush()
  const isTidy = () => {
    using database = new Database(path, { readonly: true })
    return Object.values(database.query('PRAGMA application_id').get() ?? {})[0] === 0
  }
  await memory.forget({ site: 'example.org' })
  await eventually(isTidy)
  memory.keep([page('badgers')])
  await memory.close()
  expect(readdirSync(dirname(path))).toEqual(['memory.sqlite'])
  const file = new MemoryFile({ path, maxBytes: 50e6 })
  for (const _ of file.forgetting({})) expect(isTidy()).toBe(false)
  file.close()
  await open({ path }).memory.stats()
  await eventually(isTidy)
})

test('a question is answered while many pages are forgotten', async () => {
  const { memory, found } = open()
  memory.keep(Array.from({ length: 400 }, (_, index) => page(`p${index}`)))
  await memory.flush()
  const order: string[] = []
  const forgetting = memory.forget({ site: 'example.org' }).then((count) => order.push(`forgot ${count}`))
  const asking = found('bees').then(() => order.push('found'))
  const again = memory.forget({})
  await Promise.all([forgetting, asking])
  expect(order[0]).toBe('found')
  // Each page is counted once.
  expect(Number(order[1]?.replace('forgot ', '')) + (await again)).toBe(400)
})

test('closing writes what waits', async () => {
  const { memory, path } = open()
  memory.keep(Array.from({ length: 40 }, (_, index) => page(`p${index}`)))
  await memory.close()
  const file = new MemoryFile({ path, maxBytes: 50e6 })
  expect(file.stats().pages).toBe(40)
  file.close()
})

test('pages of private hosts are not kept', async () => {
  const { memory, found } = open({ pagesAllow: ['wiki.example.org', '10.0.0.7'] })
  const addresses = [
    'https://wiki.example.org/bees',
    'http://10.0.0.7/bees',
    'http://192.168.0.1/bees',
    'http://nas.local/bees',
  ]
  memory.keep([...addresses.map((url) => ({ ...page('private'), url })), page('public')])
  expect(await found('bees')).toEqual(['public'])
})

test('a folder that cannot be written costs what it would have kept, and health says why', async () => {
  const path = memoryPath(join(scratch, `${++folders}`))
  mkdirSync(dirname(dirname(path)), { recursive: true })
  writeFileSync(dirname(path), 'a file')
  const { memory, found } = open({ path })
  memory.keep([page('marmots')])
  await memory.flush()
  expect(memory.health.problem).toMatch(/EEXIST|ENOTDIR/)
  const failure = await found('marmots').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('a file is where a folder') })
  rmSync(dirname(path))
  memory.keep([page('badgers')])
  expect(await found('badgers')).toEqual(['badgers'])
  expect(memory.health).toMatchObject({ pages: 1, problem: undefined })
})

testNeeding('the right to mount', mayMount)(
  'a full disk keeps nothing, whenever it is full, and memory recovers',
  async () => {
    const disk = join(scratch, `${++folders}`)
    using _disk = mount(disk, 'size=512k')
    const filler = join(disk, 'filler')
    const fill = () => {
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(4096))
      } catch {
        // It is full now.
      }
    }
    fill()
    const { memory, found } = open({ path: memoryPath(disk) })
    expect(await memory.stats().catch((error: unknown) => error)).toMatchObject({ code: 'unavailable' })
    rmSync(filler)
    memory.keep([page('marmots')])
    expect(await found('marmots')).toEqual(['marmots'])
    fill()
    memory.keep([page('badgers', crypto.randomUUID().repeat(1000))])
    await memory.flush()
    expect(memory.health.problem).toContain('full')
    expect(await memory.stats()).toMatchObject({ pages: 1 })
    expect(await found('marmots')).toEqual(['marmots'])
    rmSync(filler)
    memory.keep([page('badgers')])
    expect(await found('badgers')).toEqual(['badgers'])
  },
)

test('a broken file is set aside, and health says so', async () => {
  const path = memoryPath(join(scratch, `${++folders}`))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'no database '.repeat(1000))
  const { memory, found } = open({ path })
  memory.keep([page('marmots')])
  expect(await found('marmots')).toEqual(['marmots'])
  expect(memory.health.problem).toContain('memory.sqlite.damaged')
})

test('a process that has its replies ends, also where it does not close its memory', async () => {
  const source = `
    const { openMemory } = await import(${JSON.stringify(join(import.meta.dir, '../../../src/runtime/server/open-memory.ts'))})
    const memory = openMemory({ path: process.argv[1], maxBytes: 50e6, mayKeep: () => true })
    await Promise.all([memory.recall({ query: 'bees', filters: {} }), memory.stats()])
    console.log('replied')`
  const child = Bun.spawn([process.execPath, '-e', source, memoryPath(join(scratch, `${++folders}`))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect([await new Response(child.stdout).text(), await child.exited]).toEqual(['replied\n', 0])
})

test('a closed memory keeps and finds nothing', async () => {
  const { memory, found } = open()
  await memory.close()
  memory.keep([page('marmots')])
  await expect(found('marmots')).rejects.toThrow('csp is stopping.')
  await memory.close()
})
