import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

const folder = mkdtempSync(join(tmpdir(), 'csp-compiled-'))
const program = join(folder, 'csp')

beforeAll(async () => {
  const script = join(import.meta.dir, '..', '..', 'scripts', 'compile.mjs')
  const build = Bun.spawn([process.execPath, script, `--outfile=${program}`], { stdout: 'ignore', stderr: 'inherit' })
  expect(await build.exited).toBe(0)
  writeFileSync(join(folder, 'preload.ts'), 'console.log("EXECUTED")')
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.ts"]')
  writeFileSync(join(folder, '.env'), 'CSP_PORT=666\n')
  writeFileSync(join(folder, 'tsconfig.json'), '{"compilerOptions":{"paths":{"*":["./preload.ts"]}}}')
})
afterAll(() => rmSync(folder, { recursive: true }))

const start = (args: readonly string[]) =>
  Bun.spawn([program, ...args], { cwd: folder, env: {}, stdout: 'pipe', stderr: 'pipe' })

test('a compiled csp knows its version and reads no file of the current folder', async () => {
  expect(await new Response(start(['--version']).stdout).text()).toBe(`${manifest.version}\n`)
  expect(await new Response(start(['--help']).stdout).text()).toContain('csp search')
  expect(await new Response(start(['config']).stdout).text()).toMatch(/^ +port +52480$/m)
})

test('a compiled csp serves with an empty environment', async () => {
  const child = start(['serve', '--port', '0'])
  let log = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    log += decoder.decode(chunk)
    const url = /listening on (http:\/\/[\d.:]+)/.exec(log)?.[1]
    if (!url) continue
    const response = await fetch(`${url}/health`)
    expect(await response.json()).toMatchObject({ version: manifest.version, status: 'down' })
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toStartWith('<!doctype html>')
    expect(await (await fetch(`${url}/page/main.js`)).text()).toContain('What do you want to know?')
    break
  }
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('a compiled csp reads a page, in a process of its own', async () => {
  const page = '<title>Bees</title><p>Bees hum.'
  const site = Bun.serve({ port: 0, fetch: () => new Response(page, { headers: { 'content-type': 'text/html' } }) })
  const host = `127.0.0.1:${site.port}`
  const child = start(['fetch', `http://${host}/`, '--pages-allow', host])
  expect(await new Response(child.stdout).text()).toBe(`Bees\nhttp://${host}/\n\nBees hum.\n`)
  expect(await child.exited).toBe(0)
  await site.stop(true)
})

test('a compiled csp says that it cannot set up an edge, since it lacks the sources of the Worker', async () => {
  const child = start(['setup', 'edge', '--dry-run'])
  expect(await new Response(child.stderr).text()).toContain('A compiled csp does not have the sources of the Worker.')
  expect(await child.exited).toBe(2)
})
