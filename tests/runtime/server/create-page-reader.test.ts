import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { createPageReader, networkOf } from '../../../src/runtime/server/create-page-reader.ts'

test.each([
  [{}, [52480]],
  [{ port: '8080', pagesBrowser: 'http://127.0.0.1:9222' }, [8080, 9222]],
  [{ pagesBrowser: 'http://127.0.0.1' }, [52480, 80]],
])('with %j no page is read from the ports %j of this machine', (settings, ports) => {
  expect(networkOf(configSchema.parse(settings)).own).toMatchObject({ ports })
})

test.each([
  ['search', false],
  ['on', true],
])('with pages=%s callers read what searches read: %p', async (pages, isSame) => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-pages-'))
  const tally = { add() {}, close: async () => {} } as never
  const reader = createPageReader(configSchema.parse({ pages }), { has: () => false } as never, folder, tally)
  expect(reader.forCallers === reader.forSearches).toBe(isSame)
  await reader.close()
})
