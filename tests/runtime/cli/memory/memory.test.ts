import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LearnedCapabilities } from '@csp/gateway/translation/capabilities'
import type { SeenPage } from '../../../../src/domain/memory.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { capabilityFile } from '../../../../src/runtime/server/capability-file.ts'
import { memoryPath } from '../../../../src/runtime/server/open-memory.ts'
import { MemoryFile } from '../../../../src/storage/page-memory/memory-file.ts'
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

test('csp search --memory lists the pages of all keys, with the day when csp saw them', async () => {
  const { code, output } = await csp(['search', '--memory', 'bees'])
  expect(code).toBe(0)
  expect(output).toContain('https://example.org/marmots')
  expect(output).toContain('https://docs.example.net/badgers')
  expect(output).toContain(`[seen ${new Date().toISOString().slice(0, 10)}]`)
})

test('csp memory says from which day to which day the pages were seen', async () => {
  const dayOf = (ago: number) => new Date(Date.now() - ago * day).toISOString().slice(0, 10)
  expect((await csp(['memory'])).output).toContain(`, seen from ${dayOf(30)} to ${dayOf(0)}, `)
})

test('csp search --memory says what to do where nothing is kept', async () => {
  const empty = join(scratch, 'empty')
  const { code, output, errors } = await csp(['search', '--memory', 'bees'], empty)
  expect([code, output]).toEqual([0, 'Nothing was found.\n'])
  expect(errors).toMatch(/Nothing has been kept yet: .*Make a search first: .*csp search/s)
  expect((await csp(['search', '--memory', 'bees'], empty, { CSP_MEMORY: 'off' })).errors).toContain(
    'memory is off. With --memory on,',
  )
  expect(JSON.parse((await csp(['search', '--memory', 'bees', '--json'], empty)).output)).toMatchObject({ results: [] })
  expect((await csp(['search', '--memory', 'zebras'])).errors).toBe('')
})

test.each([
  [['--since', '7d'], ['badgers']],
  [
    ['--since', new Date(Date.now() - 40 * day).toISOString().slice(0, 10)],
    ['badgers', 'marmots'],
  ],
  [['--include-domains', 'example.net,example.com'], ['badgers']],
  [['--include-domains', 'ample.net'], []],
  [['-n', '1'], 1],
] as const)('csp search --memory takes %p', async (flags, expected) => {
  const { output } = await csp(['search', '--memory', 'bees', '--json', ...flags])
  const { results, backend } = JSON.parse(output)
  expect(backend).toBe('memory')
  const titles = results.map(({ title }: { title: string }) => title).toSorted()
  if (typeof expected === 'number') expect(titles).toHaveLength(expected)
  else expect(titles).toEqual([...expected])
  for (const { seen_at } of results) expect(seen_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test.each([
  [['search', '--memory', 'bees', '--since', 'soon'], '--since must be a day'],
  [['search', '--memory', 'bees', '--include-domains', 'no host'], '--include-domains'],
  [['search', 'bees', '--since', '7d'], '--since needs --memory'],
  ...[['--fresh'], ['--all'], ['--page', '2'], ['--open', '1']].map(
    (flags) => [['search', '--memory', 'bees', ...flags], '--memory cannot be combined'] as const,
  ),
  [['search', '--memory', 'bees', '-n', '0'], '-n must be'],
  [['memory', 'forget'], 'csp memory [clear pages|answers|models, forget SITE, or export]'],
  [['memory', 'clear'], 'clear pages|answers|models'],
  [['memory', 'clear', 'all'], 'clear pages|answers|models'],
  [['memory', 'burn'], 'clear pages|answers|models'],
  [['memory', 'export', 'more'], 'clear pages|answers|models'],
])('%p is refused', async (args, message) => {
  const { code, errors } = await csp([...args])
  expect(code).toBe(2)
  expect(errors).toContain(message)
})

test('without a memory nothing is found, and none is made', async () => {
  const empty = join(scratch, 'empty')
  expect((await csp(['search', '--memory', 'bees'], empty)).output).toBe('Nothing was found.\n')
  expect((await csp(['memory'], empty)).output).toContain('pages: 0 pages of 0 sites')
  expect((await csp(['memory', 'export'], empty)).output).toBe('')
  expect(await Bun.file(pathIn(empty)).exists()).toBe(false)
})

test('csp memory shows, exports and forgets', async () => {
  const own = join(scratch, 'own')
  keep(own, [page('https://example.org/a', 'marmots'), page('https://docs.example.net/b', 'badgers')])
  expect(JSON.parse((await csp(['memory', '--json'], own)).output).pages).toMatchObject({ pages: 2, sites: 2 })
  const lines = (await csp(['memory', 'export'], own)).output.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).url)).toEqual(['https://example.org/a', 'https://docs.example.net/b'])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ title: 'marmots', extent: 'whole', owner: 'phone' })
  expect((await csp(['memory', 'forget', 'https://example.net'], own)).output).toBe('Forgot 1 page of example.net\n')
  expect((await csp(['memory', 'clear', 'pages', '--json'], own)).output).toBe(
    '{"action":"clear","kind":"pages","pages":1}\n',
  )
  expect((await csp(['memory'], own)).output).toContain('pages: 0 pages of 0 sites')
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
    remedy: 'csp memory clear pages forgets them.',
  })
  expect(await finding(join(scratch, 'none'))).toMatchObject({ status: 'ok', message: 'nothing is kept yet' })
  const broken = join(scratch, 'broken')
  mkdirSync(dirname(pathIn(broken)), { recursive: true })
  writeFileSync(pathIn(broken), 'no database '.repeat(1000))
  expect(await finding(broken)).toMatchObject({ status: 'warn', remedy: expect.stringContaining('sets it aside') })
  expect(await Bun.file(pathIn(broken)).text()).toStartWith('no database')
})

test('csp memory counts and clears the answers of the cache', async () => {
  const own = join(scratch, 'answers-home')
  const directory = join(own, '.cache', 'csp')
  expect((await csp(['memory'], own)).output).toContain(`answers: 0 answers, 0.0 KiB, in ${directory}\n`)
  const { code, output } = await csp(['memory', 'clear', 'answers', '--json'], own)
  expect(code).toBe(0)
  expect(JSON.parse(output)).toEqual({ action: 'clear', kind: 'answers', entries: 0, bytes: 0, directory })
})

test('csp memory counts the models that the gateway has learned about, and has them learned again', async () => {
  const own = join(scratch, 'models-home')
  const learned = new LearnedCapabilities({ store: capabilityFile(join(own, '.local/state/csp')) })
  await learned.learn({ baseUrl: 'http://a.example/v1', model: 'big', refused: ['temperature'] })
  await learned.learn({ baseUrl: 'http://a.example/v1', model: 'small', refused: [] })
  expect(JSON.parse((await csp(['memory', '--json'], own)).output).models).toMatchObject({ models: 2 })
  expect((await csp(['memory', 'clear', 'models'], own)).output).toStartWith('Forgot what was learned about 2 models,')
  expect((await csp(['memory'], own)).output).toContain('models: 0 models of the gateway')
})
