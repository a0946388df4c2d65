import { expect, test } from 'bun:test'
import type { DevTools } from '../../../src/page-reader/browser/devtools.ts'
import { shownIn } from '../../../src/page-reader/browser/tab.ts'
import { openedHosts } from '../../../src/page-reader/local/page-url.ts'

// What a tab does on events of the browser, which the test sends. In a Chromium it is in page-browser.test.ts.

const page = { url: 'https://bees.example/', html: '<p>Bees hum.' }
const own = { targetId: 'own', browserContextId: 'context' }

/** A browser that does what it is told, and shows a page once these events have come. */
async function shownAfter(...events: readonly (readonly [method: string, params: object, session?: string])[]) {
  const calls: (readonly [string, object])[] = []
  const replies: Readonly<Record<string, object>> = {
    'Target.createTarget': { targetId: own.targetId },
    'Target.attachToTarget': { sessionId: 'session' },
    'Page.createIsolatedWorld': { executionContextId: 1 },
    'Runtime.evaluate': { result: { value: page } },
  }
  const browser = {
    onEvent: (_: object) => {},
    onEnd: (_: Error) => {},
    async call(method: string, params: object) {
      calls.push([method, params])
      return replies[method] ?? {}
    },
  }
  const request = { url: page.url, allow: async () => {} }
  const options = { opened: openedHosts([]), userAgent: 'csp/test' }
  const shown = shownIn(browser as unknown as DevTools, own.browserContextId, request, options)
  const settled = shown.catch((error: Error) => error.message)
  while (!calls.some(([method]) => method === 'Page.navigate')) await Promise.resolve()
  const loaded = [
    ['Network.responseReceived', { frameId: own.targetId, type: 'Document', response: { status: 200 } }],
    ['Page.lifecycleEvent', { frameId: own.targetId, name: 'networkIdle' }],
  ] as const
  for (const [method, params, sessionId = 'session'] of [...events, ...loaded]) {
    browser.onEvent({ method, params, sessionId })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    shown: await settled,
    closed: calls.filter(([method]) => method === 'Target.closeTarget').map(([, it]) => it),
  }
}

test('windows that a page opens are closed, and neither its own tab nor those of others', async () => {
  const created = (targetInfo: object) => ['Target.targetCreated', { targetInfo }] as const
  const { shown, closed } = await shownAfter(
    created(own),
    created({ ...own, targetId: 'opened' }),
    created({ targetId: 'foreign', browserContextId: 'another' }),
    created({ targetId: 'bare' }),
  )
  expect(shown).toEqual(page)
  expect(closed).toEqual([{ targetId: 'opened' }])
})

test.each([
  [
    'a page that its site refuses',
    ['Network.responseReceived', { frameId: 'own', type: 'Document', response: { status: 403 } }],
    ['Page.lifecycleEvent', { frameId: 'own', name: 'networkIdle' }],
    'refuses to show it to the browser (403)',
  ],
  ['a tab that crashes', ['Inspector.targetCrashed', {}], undefined, 'its tab has crashed'],
] as const)('%s is not shown', async (_, first, second, words) => {
  const { shown } = await shownAfter(first, ...(second ? [second] : []))
  expect(shown).toContain(words)
})

test('events of other tabs and frames mean nothing', async () => {
  const { shown } = await shownAfter(
    ['Inspector.targetCrashed', {}, 'another session'],
    ['Network.responseReceived', { frameId: 'frame', type: 'Document', response: { status: 500 } }],
    ['Network.responseReceived', { frameId: own.targetId, type: 'Image', response: { status: 404 } }],
  )
  expect(shown).toEqual(page)
})
