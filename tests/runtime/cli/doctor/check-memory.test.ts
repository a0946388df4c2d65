import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkMemory } from '../../../../src/runtime/cli/doctor/check-files.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { memoryPath } from '../../../../src/runtime/server/open-memory.ts'
import { MemoryFile } from '../../../../src/storage/page-memory/memory-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-check-memory-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function stateWith(make: (path: string) => void): (memory?: 'on' | 'off') => ReturnType<typeof checkMemory> {
  const stateDir = mkdtempSync(join(scratch, 'state-'))
  const path = memoryPath(stateDir)
  mkdirSync(dirname(path), { recursive: true })
  make(path)
  const { config } = loadConfig({}, { HOME: scratch }, scratch)
  return (memory = 'on') => checkMemory({ ...config, stateDir, memory })
}

test('doctor says how much is kept, also where nothing more is', () => {
  const none = stateWith(() => {})
  expect([none(), none('off')]).toMatchObject([{ status: 'ok' }, { status: 'ok', message: 'off' }])
  const some = stateWith((path) => new MemoryFile({ path, maxBytes: 50e6 }).close())
  expect(some()).toMatchObject({
    status: 'ok',
    check: 'memory',
    message: expect.stringMatching(/^0 pages, 0\.\d of 500 MB$/),
  })
  expect(some('off')).toMatchObject({
    ...{ status: 'warn', message: expect.stringMatching(/^off, and 0 pages, .* are left$/) },
    remedy: expect.stringContaining('csp memory clear pages'),
  })
})

test('doctor says what becomes of a memory that cannot be read', () => {
  const broken = stateWith((path) => writeFileSync(path, 'x'.repeat(5000)))
  expect(broken()).toMatchObject({
    ...{ status: 'warn', message: expect.stringContaining(' cannot be read: ') },
    remedy: expect.stringContaining('csp memory'),
  })
  const folder = stateWith((path) => mkdirSync(path))
  expect(folder()).toMatchObject({ status: 'warn', remedy: undefined })
})
