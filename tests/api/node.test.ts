import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('the application runs on the installed Node.js without any module of Bun', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csp-node-'))
  try {
    const { success, logs } = await Bun.build({
      entrypoints: [join(import.meta.dir, 'support/app-on-node.ts')],
      target: 'node',
      format: 'esm',
      outdir: folder,
      naming: 'app.mjs',
    })
    expect(logs.map(String)).toEqual([])
    expect(success).toBe(true)
    const node = Bun.spawn(['node', join(folder, 'app.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [told, complaints] = await Promise.all([new Response(node.stdout).text(), new Response(node.stderr).text()])
    expect(complaints).toBe('')
    expect(JSON.parse(told)).toEqual([200, 200, 200, 200, 200, true])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
