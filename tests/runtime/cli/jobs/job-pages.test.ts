import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testStore } from '../../../support/job-database.ts'
import { answered } from '../../../support/scripted-executor.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-job-pages-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A home with jobs of these ids, and csp jobs on it. */
function homeWith(count: number) {
  const home = mkdtempSync(join(folder, 'home-'))
  const store = testStore(join(home, '.local/state/csp/jobs/jobs.sqlite'))
  const draft = { owner: 'phone', vendor: 'openai', input: {} }
  const request = { query: 'why?', history: [], want: 'answer', effort: 'deep', filters: {} } as const
  const ids = Array.from({ length: count }, (_, at) => at.toString(16).padStart(32, '0'))
  ids.forEach((id, at) => {
    store.add({ ...draft, id, request, createdAt: Date.UTC(2026, 10, 20) + at })
  })
  return {
    store,
    ids,
    async csp(line: string) {
      const shell = testShell({ environment: { HOME: home }, directory: home })
      const code = await main(['jobs', ...line.split(' ').filter(Boolean)], shell)
      return { code, output: shell.printed(), errors: shell.complaints() }
    },
  }
}
const usage = 'Usage: csp jobs [list|show ID|cancel ID]\n'

test.each(['show', 'cancel', 'list a', 'remove', 'remove a'])('csp jobs %s is not how it is used', async (line) => {
  for (const { store, csp } of [homeWith(0), homeWith(1)]) {
    expect(await csp(line)).toEqual({ code: 2, output: '', errors: usage })
    store.close()
  }
})

test('csp jobs lists none where all are gone', async () => {
  const { store, csp } = homeWith(0)
  store.close()
  expect((await csp('')).output).toBe('There are no jobs.\n')
  expect((await csp('--json')).output).toBe('[]\n')
})

test('csp jobs lists twenty, and from 1 to 1000 with -n', async () => {
  const { store, csp } = homeWith(21)
  store.close()
  const count = async (line: string) => JSON.parse((await csp(line)).output).length
  expect([await count('--json'), await count('list --json -n 1'), await count('--json -n 1000')]).toEqual([20, 1, 21])
  expect((await csp('')).output.split('\n')).toHaveLength(21)
  for (const n of ['0', '1001']) expect((await csp(`-n ${n}`)).errors).toContain('from 1 to 1000')
})

test('csp jobs show says what a job has come to', async () => {
  const { store, ids, csp } = homeWith(3)
  const [first = '', second = '', third = ''] = ids
  expect(await csp('show none')).toMatchObject({
    code: 1,
    errors: 'There is no job "none"; it may have been deleted.\n',
  })
  const [started, later] = [store.claim({ all: 9, each: 9 }, 1), store.claim({ all: 9, each: 9 }, 1)]
  expect([started?.job.id, later?.job.id]).toEqual([first, second])
  const search = answered.slice(0, 2)
  store.append(first, started?.run ?? 1, 1, search)
  const failure = { code: 'failed' as const, message: 'It broke.' }
  store.end(second, later?.run ?? 1, 2, { status: 'failed', failure }, [])
  const show = async (id: string) => (await csp(`show ${id}`)).output
  expect(await show(first)).toMatch(/^why\?\nopenai, .*: running\n {2}what was asked\n$/)
  expect(await show(second)).toMatch(/^why\?\nopenai, .*: failed: It broke\.\n$/)
  expect(await show(third)).toMatch(/^why\?\nopenai, .*: queued\n$/)
  const waits = JSON.parse((await csp(`show ${third} --json`)).output)
  expect(waits).toMatchObject({
    error: null,
    started_at: null,
    ended_at: null,
    answer: null,
    sources: [],
    searches: [],
  })
  const failed = JSON.parse((await csp(`show ${second} --json`)).output)
  expect(failed).toMatchObject({ error: 'It broke.', started_at: expect.stringMatching(/Z$/), question: 'why?' })
  expect(JSON.parse((await csp(`cancel ${third} --json`)).output)).toMatchObject({ id: third, status: 'cancelled' })
  store.close()
})
