import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { openComposition } from '../../../src/runtime/bun/composition.ts'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { type ScratchHome, scratchHome } from '../../support/real-claude.ts'

let home: ScratchHome
beforeEach(async () => {
  home = await scratchHome()
})
afterEach(() => home[Symbol.asyncDispose]())

test('a long-running process sweeps its cache every hour until it closes', async () => {
  const [start, stop] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')]
  try {
    const folders = {
      cacheDir: join(home.path, 'cache'),
      stateDir: join(home.path, 'state'),
      keyFile: join(home.path, 'keys.json'),
    }
    const config = configSchema.parse({ backends: 'searxng', searxngUrl: 'http://127.0.0.1:9' })
    const composition = openComposition({ ...config, ...folders }, {}, () => {})
    for (let times = 0; times < 2; times++) await composition.settle()
    const hourly = start.mock.calls.flatMap(([, ms], index) =>
      ms === 3_600_000 ? [start.mock.results[index]?.value] : [],
    )
    expect(hourly).toHaveLength(1)
    await composition.close()
    const stopped: readonly unknown[] = stop.mock.calls.map(([timer]) => timer)
    expect(stopped).toContain(hourly[0])
  } finally {
    start.mockRestore()
    stop.mockRestore()
  }
})
