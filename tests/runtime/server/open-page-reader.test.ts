import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'
import { isRunning } from '../../../src/storage/is-running.ts'
import { descendantsOf } from '../../support/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-reader-'))
afterAll(() => rmSync(folder, { recursive: true }))

const source = join(import.meta.dir, '../../../src/runtime')
const page = "{ body: new TextEncoder().encode('<p>Bees.'), contentType: 'text/html', url: '', mainContentOnly: true }"
const emptyPage = { body: new Uint8Array(), contentType: 'text/html', url: '', mainContentOnly: true }

describe('the process that reads pages', () => {
  test('gets nothing of the environment and folder of csp', async () => {
    process.env['CSP_TEST_SECRET'] = 'sk-secret'
    const script = 'process.on("message", () => process.send([process.env, process.cwd()]))'
    const reader = openPageReader({ command: process.execPath, args: ['-e', script] })
    delete process.env['CSP_TEST_SECRET']
    const reply = await new Promise((resolve) => {
      reader.onReply = resolve
      reader.send(emptyPage)
    })
    expect(reply).toEqual([expect.anything(), dirname(process.execPath)])
    expect(JSON.stringify(reply)).not.toMatch(/secret|HOME|PATH"/)
    reader.end()
  })

  test.each([
    ['it reads nothing', ''],
    ['a page keeps it busy for ever', 'let pages = 0; process.on("message", () => { if (pages++ > 0) for (;;); })'],
  ])('ends with its csp, even where that is killed while %s', async (_, trap) => {
    const file = join(folder, 'csp.ts')
    const script = `import { readPages } from ${JSON.stringify(join(source, 'page-reader.ts'))}; readPages(); ${trap}`
    await Bun.write(
      file,
      `import { openPageReader } from ${JSON.stringify(join(source, 'server/open-page-reader.ts'))}
       const reader = openPageReader({ command: process.execPath, args: ['-e', ${JSON.stringify(script)}] })
       reader.onReply = () => {
         reader.send(${page})
         console.log('ready')
       }
       reader.send(${page})
       setInterval(() => {}, 1000)`,
    )
    const csp = Bun.spawn([process.execPath, file], { stdout: 'pipe', stderr: 'inherit' })
    for await (const _ of csp.stdout) break
    const [reader] = descendantsOf(csp.pid)
    expect(isRunning(reader?.pid ?? 0)).toBe(true)
    csp.kill('SIGKILL')
    await eventually(() => !isRunning(reader?.pid ?? 0))
  })

  test('ends when a page takes too much memory', async () => {
    const fill = 'process.on("message", () => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) })'
    const script = `import { readPages } from ${JSON.stringify(join(source, 'page-reader.ts'))}; readPages(); ${fill}`
    const reader = openPageReader({ command: process.execPath, args: ['-e', script] })
    const signal = new Promise((resolve) => {
      reader.onEnd = resolve
    })
    reader.send(emptyPage)
    expect(await signal).toBe('SIGKILL')
  })
})
