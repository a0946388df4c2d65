import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { madePage } from '../../scripts/page.ts'

const folder = join(import.meta.dir, '../../src/web-ui/made')

test('src/web-ui/made is as `npm run page` makes it, the same twice', async () => {
  const made = await madePage()
  expect(await madePage()).toEqual(made)
  expect(readdirSync(folder).sort()).toEqual(Object.keys(made).sort())
  const stale = Object.entries(made).filter(([name, text]) => readFileSync(join(folder, name), 'utf8') !== text)
  expect(stale.map(([name]) => `${name}: run npm run page`)).toEqual([])
})
