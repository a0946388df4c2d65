import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { serverEntry, withWholeLinks } from '../scripts/build-package.ts'
import { parseRepository } from '../src/runtime/shell/distribution.ts'

const root = join(import.meta.dir, '..')

test('pages of the package link to the repository for what is not packed', () => {
  const linked = withWholeLinks(
    '[a](../bench/README.md#speed) [b](cli.md) [c](https://x.example/y) ![d](page.png)',
    'docs/clients.md',
    'https://github.com/o/n/blob/v1.2.3',
    (path) => ['docs/cli.md', 'docs/page.png'].includes(path),
  )
  expect(linked).toBe(
    '[a](https://github.com/o/n/blob/v1.2.3/bench/README.md#speed) [b](cli.md) [c](https://x.example/y) ![d](page.png)',
  )
})

// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
test('the entry in the registry of MCP is named after the repository, and starts the version on npm', () => {
  const facts = { name: manifest.name, version: '1.2.3' }
  const entry = serverEntry({ ...facts, repository: 'github:Jo-Doe/csp.search' })
  expect(entry).toMatchObject({
    name: `io.github.Jo-Doe/${manifest.name}`,
    repository: { url: 'https://github.com/Jo-Doe/csp.search', source: 'github' },
    version: '1.2.3',
  })
  expect(entry?.packages).toMatchObject([{ registryType: 'npm', identifier: manifest.name, version: '1.2.3' }])
  expect(entry?.description.length).toBeLessThanOrEqual(100)
  expect(serverEntry(facts)).toBeUndefined()
})

test('a repository is OWNER/NAME and nothing else, since it stands in commands and addresses', () => {
  expect(parseRepository('github:jo/csp')).toEqual(parseRepository('jo/csp'))
  for (const wrong of ['', 'jo', 'jo/csp/more', 'jo/c sp', "jo/csp'; rm", 'https://github.com/jo/csp'])
    expect([wrong, parseRepository(wrong)]).toEqual([wrong, undefined])
})

test.each(['ci.yml', 'release.yml'])('the workflow %s runs only files and scripts that exist', (name) => {
  const workflow = readFileSync(join(root, '.github/workflows', name), 'utf8')
  expect(Object.keys(Object(Bun.YAML.parse(workflow)))).toContain('jobs')
  const files = [...workflow.matchAll(/(?:^|\s)(\.ci\/[\w.-]+)/g)].map(([, file = '']) => file)
  const scripts = [...workflow.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
  expect(files).toContain('.ci/run')
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([])
})

interface Step {
  readonly run?: string
}

describe('the release workflow', () => {
  const { jobs } = Object(Bun.YAML.parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')))
  const steps: Step[] = Object.values<{ steps: Step[] }>(jobs).flatMap((job) => job.steps)

  test('publishes by its own identity, without a token that is kept', () => {
    const text = JSON.stringify(jobs)
    expect(text).not.toContain('secrets.')
    for (const job of [jobs.publish, jobs.registry]) expect(job.permissions['id-token']).toBe('write')
    expect(text).toContain('npm publish --provenance')
  })

  test('has scripts that a shell can read, with no text of others put into them', () => {
    for (const { run } of steps.filter((step) => 'run' in step)) {
      // An expression is put into the script as text; a variable is not read as a command.
      expect(String(run)).not.toContain('${{')
      const { exitCode, stderr } = Bun.spawnSync(['bash', '-n', '-c', String(run)])
      expect({ exitCode, said: stderr.toString() }).toEqual({ exitCode: 0, said: '' })
    }
  })
})
