import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { languages } from '../../../../packages/evidence/test/languages.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { openSite, type Site } from '../../../page-reader/local/site.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-verify-'))
const { page = '', right = [], wrong = [], invented = '' } = languages['en'] ?? {}
const [claim = ''] = right
const [[figure, missing] = ['', '']] = wrong
let site: Site
let origin: string

beforeAll(async () => {
  writeFileSync(join(folder, 'page.md'), page)
  const paragraphs = page.split('\n\n').map((text) => `<p>${text.replace('# ', '')}</p>`)
  site = await openSite({ '/park': `<html lang="en"><body><article>${paragraphs.join('')}</article></body></html>` })
  origin = `http://127.0.0.1:${site.port}`
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const verify = (...args: readonly string[]) => verifyAt(false, ...args)
async function verifyAt(isTerminal: boolean, ...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: folder }, directory: folder, isTerminal })
  const code = await main(['verify', ...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}

describe('csp verify', () => {
  test('says where a claim was found, and ends with 0', async () => {
    const { code, output, errors } = await verify(
      claim,
      '--url',
      `${origin}/park`,
      '--pages-allow',
      `127.0.0.1:${site.port}`,
    )
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toStartWith('found 0.')
    expect(output).toContain('floating solar park')
    expect(output).toEndWith(`${origin}/park\n`)
  })

  test('names a wrong figure, and ends with 1', async () => {
    const { code, output } = await verify(figure, '--text-file', 'page.md')
    expect(code).toBe(1)
    expect(output).toStartWith('partly')
    expect(output).toContain(`on no page: the number ${missing}`)
    expect((await verify(invented, '--text-file', 'page.md')).output).toStartWith('not-found')
  })

  test('with --strict ends with 1 where a word of it is on no page', async () => {
    writeFileSync(join(folder, 'mill.md'), 'It rained all day. The mill was sold to several shops in May.\n')
    const strictly = (text: string, ...more: readonly string[]) => verify(text, '--text-file', 'mill.md', ...more)
    const [one, other] = ['The mill was sold to several banks in May.', 'The mill was sold to several shops in May.']
    const usual = await strictly(one)
    expect(usual.code).toBe(0)
    expect(usual.output).toContain('words that no page has: banks\n')
    expect((await strictly(one, '--strict')).code).toBe(1)
    expect((await strictly(other, '--strict')).code).toBe(0)
    const { results } = JSON.parse((await strictly(one, '--json')).output)
    expect(results[0]).toMatchObject({ verdict: 'found', unseen: ['banks'] })
  })

  test('says why a page could not be read', async () => {
    const { code, output } = await verify(claim, 'http://127.0.0.1/park')
    expect(code).toBe(1)
    expect(output).toStartWith('not-read (unreadable)')
    expect(output).toContain('http://127.0.0.1/park: ')
  })

  test('prints the JSON of /v1/verify', async () => {
    const { code, output } = await verify(claim, '--text-file', 'page.md', '--json')
    const { results, verdicts } = JSON.parse(output)
    expect({ code, verdict: results[0].verdict, found: verdicts.found }).toEqual({
      code: 0,
      verdict: 'found',
      found: 1,
    })
    expect(results[0].sources).toEqual([{ number: 1, url: null, title: 'page.md', error: null }])
  })

  test('reads no page where a text is given, and shows on a terminal that it reads', async () => {
    const text = await verifyAt(true, claim, '--text-file', 'page.md', '--pages', 'off')
    expect(text).toMatchObject({ code: 0, errors: '' })
    const pages = ['--url', `${origin}/park`, '--pages-allow', `127.0.0.1:${site.port}`]
    expect((await verifyAt(true, claim, ...pages)).errors).toContain('Reading')
  })

  test('says in what a page that has all the words may say otherwise', async () => {
    writeFileSync(join(folder, 'denied.md'), 'The museum in Bergen does not open on Mondays in winter.\n')
    const { code, output } = await verify(
      'The museum in Bergen opens on Mondays in winter.',
      '--text-file',
      'denied.md',
    )
    expect(code).toBe(1)
    expect(output.split('\n').slice(0, 2)).toEqual([expect.stringMatching(/^partly /), expect.stringContaining('not')])
  })

  test.each([
    [[claim, ...Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`)], 'takes no argument'],
    [[claim], 'Name the pages or the text to look in'],
    [[' ', '--text-file', 'page.md'], 'claim'],
    [[claim, '--text-file', 'nothing.md'], 'cannot be read'],
    [[claim, 'https://a.example', '--pages', 'off'], '--pages off'],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, errors } = await verify(...args)
    expect(code).toBe(2)
    expect(errors).toContain(message)
  })
})
