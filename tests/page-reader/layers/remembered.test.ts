import { expect, test } from 'bun:test'
import { HostPace } from '@csp/page-reader/layers/host-pace'
import { createPageStack } from '@csp/page-reader/layers/stack'
import type { PageContext } from '@csp/page-reader/page-reader'
import type { WholePage } from '@csp/page-reader/whole-page'
import { owned } from '../../../packages/page-reader/src/layers/page-key.ts'
import type { SeenPage } from '../../../src/domain/memory.ts'
import { remembered } from '../../../src/runtime/server/remembered-pages.ts'

const url = 'https://bees.example/hive'

function open(finalUrl = url, scope: 'all' | 'key' = 'all') {
  const kept: SeenPage[] = []
  const page: WholePage = {
    ...{
      finalUrl,
      status: 200,
      contentType: 'text/html',
      title: 'The hive',
      language: 'en',
      publishedAt: '2026-01-02',
    },
    ...{ contents: { markdown: '# Wax', text: 'Wax', html: '<h1>Wax</h1>' }, links: [] },
  }
  const reader = createPageStack(
    { read: async () => page, close: async () => {} },
    {
      scope,
      cache: { ttlSeconds: 60 },
      queue: { pace: new HostPace({ perSecond: 0, burst: 1 }) },
      memory: remembered({
        memory: { keep: (pages) => void kept.push(...pages) },
        scope,
        mayKeep: (address) => !address.includes('intranet'),
      }),
    },
  )
  const read = (more: object = {}, context: Partial<PageContext> = {}) =>
    reader.read({ url, ...more }, { signal: new AbortController().signal, ...context })
  return { kept, read }
}

test('a page that is read is given to memory, once', async () => {
  const { kept, read } = open()
  await read()
  await read()
  expect(kept).toEqual([
    {
      ...{ url, title: 'The hive', text: '# Wax', extent: 'whole', language: 'en', publishedAt: '2026-01-02' },
      owner: '',
    },
  ])
})

test('a rough reading is given as such', async () => {
  const { kept, read } = open()
  await read({ isRough: true })
  expect(kept.map(({ extent }) => extent)).toEqual(['rough'])
})

test('with the scope of a key it is the page of that key', async () => {
  const { kept, read } = open(url, 'key')
  await read({}, { caller: 'phone' })
  expect(kept.map(({ owner }) => owner)).toEqual(['phone'])
})

test('nothing is given of a request that keeps nothing, nor with the navigation of a page', async () => {
  const { kept, read } = open()
  await read({}, { cache: 'no-store' })
  await read({ mainContentOnly: false })
  expect(kept).toEqual([])
})

test.each(['https://wiki.intranet/hive', 'https://bees.example/'])(
  'nothing is given of a page that led to %s',
  async (finalUrl) => {
    const { kept, read } = open(finalUrl)
    await read()
    expect(kept).toEqual([])
  },
)

test.each([
  // Anybody can write a link of a site that redirects, and what it leads to would be found as that site's.
  ['https://wasps.example/hive', 'https://wasps.example/hive'],
  ['https://www.bees.example/hive?page=1', url],
])('a page that led to %s is kept as %s', async (finalUrl, address) => {
  const { kept, read } = open(finalUrl)
  await read()
  expect(kept.map(({ url }) => url)).toEqual([address])
})

test('pages are those of their callers where each has its own, and of all where all share them', async () => {
  const contexts: PageContext[] = []
  const inner = {
    async read(_: object, context: PageContext): Promise<WholePage> {
      contexts.push(context)
      throw new Error('no page')
    },
    async close() {},
  }
  const { signal } = new AbortController()
  for (const scope of ['all', 'key'] as const)
    for (const caller of ['ann', undefined])
      await owned(scope)(inner)
        .read({ url }, { signal, caller })
        .catch(() => {})
  expect(contexts.map(({ owner }) => owner)).toEqual([undefined, undefined, 'ann', ''])
})
