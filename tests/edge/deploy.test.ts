import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  unstable_readConfig as readConfig,
  unstable_getDurableObjectClassNameToUseSQLiteMap as sqliteClasses,
} from 'wrangler'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { wranglerToml } from './support/edge.ts'

// What the real wrangler says to our Worker where there is no account: it checks wrangler.toml and builds.

const scratch = mkdtempSync(join(tmpdir(), 'csp-deploy-'))
afterAll(() => rmSync(scratch, { recursive: true }))

// On a machine with other work wrangler may take a minute.
test('wrangler accepts the Worker, which is far below the size limit of the free plan', async () => {
  const shell = testShell({ environment: { HOME: scratch, PATH: '', TMPDIR: scratch }, directory: scratch })
  const code = await main(['setup', 'edge', '--dry-run'], shell)
  expect({ code, complaints: shell.complaints() }).toEqual({ code: 0, complaints: '' })
  const [, size] = /the Worker builds: ([\d.]+) KiB compressed/.exec(shell.printed()) ?? []
  expect(Number(size)).toBeGreaterThan(50)
  // Of 3 MB.
  expect(Number(size)).toBeLessThan(1000)
})

test('wrangler.toml has the settings that the Worker depends on', async () => {
  const configuration = await wranglerToml()
  expect(configuration).toMatchObject({
    compatibility_flags: ['enable_request_signal'],
    preview_urls: false,
    // Filled in by whoever deploys.
    kv_namespaces: [{ binding: 'CACHE', id: '0'.repeat(32) }],
  })
  // A later date than workerd's own would be refused.
  expect(configuration.compatibility_date <= '2026-07-30').toBe(true)
})

test('the migrations of wrangler.toml lead from the first deployment to the classes that are bound, all with SQLite', () => {
  const { migrations, durable_objects: objects } = readConfig(
    { config: join(import.meta.dir, '../../wrangler.toml') },
    {},
  )
  // What is deployed under a tag may not change; a rename without a migration would leave the old objects orphaned.
  expect(migrations[0]).toEqual({ tag: 'v1', new_sqlite_classes: ['HomeTunnel', 'EdgeBudget'] })
  expect(migrations[1]).toEqual({ tag: 'v2', renamed_classes: [{ from: 'HomeTunnel', to: 'TunnelObject' }] })
  const bound = objects.bindings.map(({ class_name: name }: { readonly class_name: string }) => [name, true] as const)
  expect(Object.fromEntries(sqliteClasses(migrations, undefined))).toEqual(Object.fromEntries(bound))
})
