import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
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

test.each(['ci.yml', 'release.yml'])('the workflow %s runs only files and scripts that exist', (name) => {
  const workflow = readFileSync(join(root, '.github/workflows', name), 'utf8')
  expect(Object.keys(Object(Bun.YAML.parse(workflow)))).toContain('jobs')
  const files = [...workflow.matchAll(/(?:^|\s)(\.ci\/[\w.-]+)/g)].map(([, file = '']) => file)
  const scripts = [...workflow.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
  expect(files).toContain('.ci/run')
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([])
})
