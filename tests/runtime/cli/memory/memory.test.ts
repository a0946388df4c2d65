import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SeenPage } from '../../../../src/domain/memory.ts'
import { memoryPath } from '../../../../src/runtime/bun/open-memory.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { MemoryFile } from '../../../../src/storage/memory/memory-file.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-memory-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const day = 86_400_000

function pathIn(home: string): string {
  return memoryPath(join(home, '.local', 'state', 'csp'))
}

function keep(home: string, pages: readonly SeenPage[], now = Date.now()): void {
  const file = new MemoryFile({ path: pathIn(home), maxBytes: 50e6, now: () => now })
  file.keep(pages)
  file.close()
}

function page(url: string, title: string): SeenPage {
  return { url, title, text: `All that is known of ${title}, and of bees.`, extent: 'whole', owner: 'phone' }
}

const home = join(scratch, 'home')
beforeAll(() => {
  keep(home, [page('https://example.org/marmots', 'marmots')], Date.now() - 30 * day)
  keep(home, [page('https://docs.example.net/badgers', 'badgers')])
})

async function csp(args: readonly string[], folder = home, variables: Record<string, string> = {}) {
  mkdirSync(folder, { recursive: true })
  const shell = testShell({ environment: { HOME: folder, ...variables }, directory: folder })
  const code = await main([...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}

test('csp recall lists the pages of all keys, with the day when csp saw them', async () => {
  const { code, output } = await csp(['recall', 'bees'])
  expect(code).toBe(0)
  expect(output).toContain('https://example.org/marmots')
  expect(output).toContain('https://docs.example.net/badgers')
  expect(output).toContain(`[seen ${new Date().toISOString().slice(0, 10)}]`)
})

test('csp recall says what to do where nothing is kept', async () => {
  const empty = join(scratch, 'empty')
  const { code, output, errors } = await csp(['recall', 'bees'], empty)
  expect([code, output]).toEqual([0, 'Nothing was found.\n'])
  expect(errors).toMatch(/Nothing has been kept yet: .*Make a search first: .*csp search/s)
  expect((await csp(['recall', 'bees'], empty, { CSP_MEMORY: 'off' })).errors).toContain(
    'memory is off. With --memory on,',
  )
  expect(JSON.parse((await csp(['recall', 'bees', '--json'], empty)).output)).toMatchObject({ results: [] })
  expect((await csp(['recall', 'zebras'])).errors).toBe('')
})

test.each([
  [['--since', '7d'], ['badgers']],
  [
    ['--since', new Date(Date.now() - 40 * day).toISOString().slice(0, 10)],
    ['badgers', 'marmots'],
  ],
  [['--site', 'example.net,example.com'], ['badgers']],
  [['--site', 'ample.net'], []],
  [['-n', '1'], 1],
] as const)('csp recall takes %p', async (flags, expected) => {
  const { output } = await csp(['recall', 'bees', '--json', ...flags])
  const { results, backend } = JSON.parse(output)
  expect(backend).toBe('memory')
  const titles = results.map(({ title }: { title: string }) => title).toSorted()
  if (typeof expected === 'number') expect(titles).toHaveLength(expected)
  else expect(titles).toEqual([...expected])
  for (const { seen_at } of results) expect(seen_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test.each([
  [['recall', 'bees', '--since', 'soon'], '--since must be a day'],
  [['recall', 'bees', '--site', ','], '--site must be sites'],
  [['recall', 'bees', '-n', '0'], '--count must be a whole number'],
  [['memory', 'forget'], 'csp memory stats|clear|export|forget SITE'],
  [['memory', 'stats', 'more'], 'csp memory stats|clear|export|forget SITE'],
])('%p is refused', async (args, message) => {
  const { code, errors } = await csp(args)
  expect(code).toBe(2)
  expect(errors).toContain(message)
})

test('without a memory nothing is found, and none is made', async () => {
  const empty = join(scratch, 'empty')
  expect((await csp(['recall', 'bees'], empty)).output).toBe('Nothing was found.\n')
  expect((await csp(['memory', 'stats'], empty)).output).toContain('0 pages of 0 sites')
  expect((await csp(['memory', 'export'], empty)).output).toBe('')
  expect(await Bun.file(pathIn(empty)).exists()).toBe(false)
})

test('csp memory shows, exports and forgets', async () => {
  const own = join(scratch, 'own')
  keep(own, [page('https://example.org/a', 'marmots'), page('https://docs.example.net/b', 'badgers')])
  expect(JSON.parse((await csp(['memory', 'stats', '--json'], own)).output)).toMatchObject({ pages: 2, sites: 2 })
  const lines = (await csp(['memory', 'export'], own)).output.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).url)).toEqual(['https://example.org/a', 'https://docs.example.net/b'])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ title: 'marmots', extent: 'whole', owner: 'phone' })
  expect((await csp(['memory', 'forget', 'https://example.net'], own)).output).toBe('Forgot 1 page of example.net\n')
  expect((await csp(['memory', 'clear', '--json'], own)).output).toBe('{"action":"clear","pages":1}\n')
  expect((await csp(['memory', 'stats'], own)).output).toContain('0 pages of 0 sites')
})

test('csp doctor says what is kept, and what is broken', async () => {
  const finding = async (folder: string, ...flags: readonly string[]) => {
    const { output } = await csp(
      ['doctor', '--json', '--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9', ...flags],
      folder,
    )
    return JSON.parse(output).findings.find(({ check }: { check: string }) => check === 'memory')
  }
  expect(await finding(home)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^2 pages, 0\.\d of 500 MB$/),
  })
  expect(await finding(home, '--memory', 'off')).toMatchObject({
    status: 'warn',
    remedy: 'csp memory clear forgets them.',
  })
  expect(await finding(join(scratch, 'none'))).toMatchObject({ status: 'ok', message: 'nothing is kept yet' })
  const broken = join(scratch, 'broken')
  mkdirSync(dirname(pathIn(broken)), { recursive: true })
  writeFileSync(pathIn(broken), 'no database '.repeat(1000))
  expect(await finding(broken)).toMatchObject({ status: 'warn', remedy: expect.stringContaining('sets it aside') })
  expect(await Bun.file(pathIn(broken)).text()).toStartWith('no database')
})
