import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testStore } from '../../../support/job-database.ts'
import { answered } from '../../../support/scripted-executor.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-jobs-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function csp(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: folder }, directory: folder })
  const code = await main(['jobs', ...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}
const store = () => testStore(join(folder, '.local/state/csp/jobs/jobs.sqlite'))
const draft = { owner: 'phone', vendor: 'openai', input: {}, createdAt: Date.UTC(2026, 10, 20) }
const request = { query: 'why\u001b[31m?', history: [], want: 'answer', effort: 'deep', filters: {} } as const

test('without jobs there are none, and no file is made', async () => {
  expect(await csp()).toMatchObject({ code: 0, output: 'There are no jobs.\n' })
  expect((await csp('--json')).output).toBe('[]\n')
  expect(await csp('show', 'a')).toMatchObject({ code: 1, errors: expect.stringContaining('There is no job "a"') })
})

test('lists, shows and cancels jobs, and no control character reaches the terminal', async () => {
  const [done, waits] = ['a'.repeat(32), 'b'.repeat(32)]
  const jobs = store()
  for (const id of [done, waits]) jobs.add({ ...draft, id, request })
  const claimed = jobs.claim({ all: 1, each: 1 }, 1)
  jobs.end(claimed?.job.id ?? '', 1, 2, { status: 'completed' }, answered)
  jobs.close()

  const { output } = await csp()
  expect(output).not.toContain('\u001b')
  expect(output.split('\n').map((line) => line.split(/ {2,}/)[1])).toEqual([waits, done, undefined])
  expect((await csp('-n', '1', '--json')).output).toContain(waits)
  expect(JSON.parse((await csp('-n', '1', '--json')).output)).toMatchObject([
    { id: waits, status: 'queued', key: 'phone' },
  ])
  expect((await csp('show', `resp_${done}`)).output).toContain('It is 🙂 so [2].\n\n[1] Page 1 https://site1.example')
  expect(JSON.parse((await csp('show', done, '--json')).output)).toMatchObject({
    ...{ status: 'completed', answer: 'It is 🙂 so [2].', searches: ['what was asked'] },
  })
  expect((await csp('cancel', waits)).output).toBe(`${waits} cancelled\n`)
  expect((await csp('cancel', done)).output).toBe(`${done} completed\n`)
  expect((await csp('show')).code).toBe(2)
})
