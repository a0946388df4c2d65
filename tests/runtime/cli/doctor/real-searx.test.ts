import { expect } from 'bun:test'
import { checkBackends } from '../../../../src/runtime/cli/doctor/check-backends.ts'
import { configSchema } from '../../../../src/runtime/config/settings.ts'
import { testNeeding } from '../../../support/needs.ts'
import { searxProgram, startSearx } from '../../../support/searx.ts'

testNeeding('searx', Boolean(searxProgram))('doctor reports the real searx as usable without a search', async () => {
  await using searx = await startSearx(() => [])
  const config = configSchema.parse({ backends: 'searxng', searxngUrl: searx.url })
  expect(await checkBackends(config)).toMatchObject([{ status: 'ok' }])
  expect(searx.asked).toEqual([])
})
