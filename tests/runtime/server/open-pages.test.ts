import { expect, test } from 'bun:test'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { openPages } from '../../../src/runtime/server/open-pages.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

const ledger = { add: async () => {}, days: async () => [], close: async () => {} } as never

/** Pages with these settings, and how often their folder was asked for. */
function open(settings: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const cacheFolder = () => {
    asked.push('folder')
    throw new Error('No folder.')
  }
  return { asked, pages: openPages(configSchema.parse(settings), cacheFolder, ledger) }
}

const read = async (reader: ReturnType<typeof open>['pages']['forCallers']) =>
  reader?.read({ url: 'https://a.example/' } as never, {} as never).catch((error: unknown) => error)

test('no page is read where the settings let none be, and callers read what searches have found where they say so', () => {
  const executor = scriptedExecutor(found(1))
  expect(open({ pages: 'off' }).pages).toMatchObject({ forCallers: undefined, forSearches: undefined })
  const { pages } = open({ pages: 'search' })
  expect([pages.forCallers, pages.forSearches].every(Boolean)).toBe(true)
  expect(pages.remember(executor)).not.toBe(executor)
  expect(open({ pages: 'on' }).pages.remember(executor)).toBe(executor)
})

test.each([
  [{}, 1],
  [{ excerpts: 'pages' }, 1],
  [{ excerpts: 'lines' }, 0],
  [{ excerpts: 'none' }, 0],
  [{ pages: 'off' }, 0],
])(
  'with %j what reads pages is loaded ahead %d times, and a failure of that is none of the start',
  async (settings, times) => {
    const { pages, asked } = open(settings)
    await pages.warm()
    expect(asked).toHaveLength(times)
    await pages.close()
  },
)

test('what could not be loaded is tried again with the next page, and after the end nothing is loaded', async () => {
  const { pages, asked } = open({})
  for (const reader of [pages.forCallers, pages.forSearches])
    expect(await read(reader)).toMatchObject({ message: 'No folder.' })
  expect(asked).toHaveLength(2)
  await pages.close()
  await pages.warm()
  expect(await read(pages.forSearches)).toMatchObject({ code: 'cancelled', message: 'csp is stopping.' })
  expect(asked).toHaveLength(2)
})
