import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { withWholeLinks } from '../scripts/build-package.ts'
import { releaseNotes } from '../scripts/release.ts'

const root = join(import.meta.dir, '..')

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- later\n\n## [1.2.0] - 2026-11-20\n\n### Added\n\n- bees\n\n## 1.1.0\n\n- ants\n'

  test('are the section of its version, whichever way the heading is written', () => {
    expect(releaseNotes(changelog, '1.2.0')).toBe('### Added\n\n- bees')
    expect(releaseNotes(changelog, '1.1.0')).toBe('- ants')
  })

  test('are empty for a version that the changelog does not have, not those of another', () => {
    expect(releaseNotes(changelog, '1.2')).toBe('')
    expect(releaseNotes(changelog, '1.1.00')).toBe('')
  })
})

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
    expect(jobs.image.permissions.packages).toBe('write')
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
