import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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

test('bun test gives the tests of every file the same time, not those of the first alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-runner-'))
  try {
    mkdirSync(join(folder, 'tests'))
    const files = ['a', 'b'].map((name) => join(folder, `tests/${name}.test.ts`))
    for (const file of files)
      writeFileSync(file, "import { test } from 'bun:test'\ntest('waits', () => Bun.sleep(500))")
    const run = Bun.spawn([process.execPath, 'test', ...files], {
      cwd: join(import.meta.dir, '..'),
      env: { ...process.env, TEST_TIMEOUT: '50' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    expect(await new Response(run.stderr).text()).toMatch(/^ *2 fail$/m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
