import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('what the tests of a run leave in the temporary folder is gone after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-runner-'))
  try {
    // Its jobs are kept in files that it does not remove.
    const args = ['--parallel=1', 'tests/storage/job-database.test.ts', '-t', 'so many jobs run at once']
    const run = Bun.spawn(['node', join(import.meta.dir, '../scripts/test.mjs'), ...args], {
      env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    expect([await run.exited, await new Response(run.stderr).text()]).toEqual([
      0,
      expect.stringMatching(/^ *[1-9]\d* pass$/m),
    ])
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
