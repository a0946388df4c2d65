import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPages, withInstallTexts } from '../../scripts/docs.ts'
import { installTexts } from '../../scripts/install-texts.ts'
import { distribution } from '../../src/runtime/shell/distribution.ts'
import { documents, root } from './markdown.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = documents(['*.md', 'docs/*.md', 'docs/clients/*.md', 'integrations/*/README.md'])
  .map(({ path }) => path)
  .filter((path) => path !== 'CHANGELOG.md')

/** What works only once csp is on npm. */
const fromNpm =
  /(?:npx|bunx|pnpm dlx|(?:npm|pnpm|bun|yarn) (?:i|install|add|view)[^`\n]*?) (?:-[-\w]+ )*claude-search-proxy/

describe('what the docs say about installing csp', () => {
  test.each(installPages)('stands in %s as npm run docs writes it', (page) => {
    const text = read(page)
    expect(text).toContain('<!-- install: ')
    expect(text).toBe(withInstallTexts(text))
  })

  test('works today', () => {
    expect(pages.length).toBeGreaterThan(30)
    const wrong = pages.flatMap((path) => {
      const generated = Object.values(installTexts()).reduce((text, own) => text.replace(own, ''), read(path))
      return generated.split('\n').flatMap((line) => (fromNpm.test(line) ? [`${path}: ${line}`] : []))
    })
    expect(wrong).toEqual([])
    for (const text of Object.values(installTexts()))
      expect(fromNpm.test(text) && !distribution.isPublished).toBe(false)
  })

  test('follows the switch', () => {
    const published = installTexts({ ...distribution, isPublished: true })
    expect(Object.keys(published)).toEqual(Object.keys(installTexts()))
    expect(published['start']).toContain('npm install -g claude-search-proxy\n')
    for (const text of Object.values(installTexts({ ...distribution, isPublished: false })))
      expect(text).not.toMatch(fromNpm)
    for (const name of ['start', 'calls', 'upgrades', 'library']) expect(published[name]).toMatch(fromNpm)
    const page = withInstallTexts(read('README.md'), { ...distribution, isPublished: true })
    expect(page).toContain('`csp init` asks whether to fetch it')
    // Outside of a checkout that is a program of somebody else.
    expect(page).not.toContain('npx csp ')
  })
})
