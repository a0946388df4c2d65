import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { wranglerToml } from './support/edge.ts'

// What the real wrangler says to our Worker where there is no account: it checks wrangler.toml and builds.

const scratch = mkdtempSync(join(tmpdir(), 'csp-deploy-'))
afterAll(() => rmSync(scratch, { recursive: true }))

test('wrangler takes the Worker, which is far below what the free plan allows', async () => {
  const shell = testShell({ environment: { HOME: scratch, PATH: '', TMPDIR: scratch }, directory: scratch })
  const code = await main(['setup', 'edge', '--dry-run'], shell)
  expect({ code, complaints: shell.complaints() }).toEqual({ code: 0, complaints: '' })
  const [, size] = /the Worker builds: ([\d.]+) KiB compressed/.exec(shell.printed()) ?? []
  expect(Number(size)).toBeGreaterThan(50)
  // Of 3 MB.
  expect(Number(size)).toBeLessThan(1000)
})

test('wrangler.toml has what the Worker relies on', async () => {
  const configuration = await wranglerToml()
  expect(configuration).toMatchObject({
    compatibility_flags: ['enable_request_signal'],
    preview_urls: false,
    // Filled in by whoever deploys.
    kv_namespaces: [{ binding: 'CACHE', id: '0'.repeat(32) }],
  })
  const classes = configuration.durable_objects.bindings.map((binding) => binding.class_name)
  expect(configuration).toMatchObject({ migrations: [{ new_sqlite_classes: classes }] })
  // A later date than workerd's own would be refused.
  expect(configuration.compatibility_date <= '2026-07-30').toBe(true)
})
