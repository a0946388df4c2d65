import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { describeNeeding, testNeeding } from '../support/needs.ts'

const folder = join(import.meta.dir, '../../integrations/python')
const python = Bun.which('python3')

describeNeeding('python3', python !== null)('the module for Python', () => {
  const page = '<title>All about tea</title><article><h1>Tea</h1><p>Tea is made of leaves, and of water.</p></article>'
  const key = 'a-key-of-mine'
  let site: ReturnType<typeof Bun.serve>
  let standIn: RunningSandbox
  let csp: CspProcess

  beforeAll(async () => {
    const headers = { 'content-type': 'text/html' }
    site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(page, { headers }) })
    standIn = startSandbox()
    const flags = ['--rate', '0', '--pages-allow', `127.0.0.1:${site.port}`, '--api-keys', key]
    csp = await startCsp({ standInUrl: standIn.url, flags })
  })

  afterAll(async () => {
    await csp.stop()
    await Promise.all([standIn.stop(), site.stop(true)])
  })

  test('searches, asks and reads on a real csp, and explains what fails', async () => {
    const place = { CSP_URL: csp.url, CSP_API_KEY: key, PAGE_URL: `http://127.0.0.1:${site.port}/` }
    const command = [python ?? '', '-B', '-m', 'unittest', '-v', 'test_csp_search']
    const { code, errors } = await run(command, folder, place)
    expect({ code, errors }).toEqual({ code: 0, errors: expect.stringMatching(/Ran 15 tests(?:.|\n)*\nOK\n$/) })
  }, 60_000)
})

describe('the module for Python by itself', () => {
  testNeeding('python3', python !== null)('is one file that runs from any folder and says how to use it', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'csp-python-'))
    cpSync(join(folder, 'csp_search.py'), join(elsewhere, 'csp_search.py'))
    const { code, output } = await run([python ?? '', '-m', 'csp_search', '--help'], elsewhere, {})
    rmSync(elsewhere, { recursive: true })
    expect(code).toBe(0)
    expect(output).toContain('--freshness')
  })

  const mypy = Bun.which('mypy')
  testNeeding('mypy', mypy !== null)(
    'has types that mypy finds no fault with',
    async () => {
      const cache = mkdtempSync(join(tmpdir(), 'csp-mypy-'))
      const { output } = await run(
        [mypy ?? '', '--strict', '--cache-dir', cache, 'csp_search.py', 'test_csp_search.py'],
        folder,
        {},
      )
      rmSync(cache, { recursive: true })
      expect(output).toContain('Success')
    },
    120_000,
  )
})

async function run(command: readonly string[], cwd: string, variables: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), ...variables }
  const child = Bun.spawn([...command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}
