import { describe, expect, test } from 'bun:test'
import { longestTurn } from '@csp/testing/longest-turn'
import { maxRobotsBytes, RobotsRules } from '../../src/local/robots-rules.ts'

const allows = (rules: string, path: string) =>
  new RobotsRules(rules.includes('User-agent') ? rules : `User-agent: *\n${rules}`, 'csp').allows(
    new URL(path, 'https://site.example'),
  )

describe('the rules of a robots.txt', () => {
  test.each([
    ['Disallow:', '/', true],
    ['Disallow: /', '/', false],
    ['Disallow: /fish', '/fish.html', false],
    ['Disallow: /fish', '/Fish', true],
    ['Disallow: /fish/', '/fish', true],
    ['Disallow: /*.php', '/folder/index.php?a=1', false],
    ['Disallow: /*.php$', '/index.php?a=1', true],
    ['Disallow: /*.php$', '/index.php', false],
    ['Disallow: /*.php$', '/index.php/index.php', false],
    ['Disallow: /fish$', '/fish', false],
    ['Disallow: /fish$', '/fishes', true],
    ['Disallow: /fish*$', '/fishes', false],
    ['Disallow: /a*a$', '/a', true],
    ['Disallow: /a*a$', '/aa', false],
    ['Disallow: /*a*b*a$', '/aba', false],
    ['Disallow: /*ab*ba$', '/aba', true],
    ['Disallow: *', '/anything', false],
    ['Disallow: */page', '/page', false],
    ['Disallow: *?', '/page', true],
    ['Disallow: *?', '/page?a', false],
    ['Disallow: /a$b', '/a$b', false],
    ['Disallow: /p\nAllow: /page', '/page', true],
    ['Allow: /page\nDisallow: /*.htm', '/page.htm', false],
    ['Allow: /same\nDisallow: /same', '/same', true],
    ['Disallow: /same\nAllow: /same', '/same', true],
    ['Disallow: /ä', '/%c3%A4', false],
    ['Disallow: /%c3%a4', '/ä', false],
    ['Disallow: /page # a comment', '/page', false],
    ['disallow : /page', '/page', false],
    ['User-agent: a\nUser-agent: csp\nDisallow: /\nUser-agent: *\nAllow: /', '/', false],
    ['User-agent: csp\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: csp\nDisallow: /c', '/c', false],
    ['User-agent: csp\n\nUser-agent: *\nDisallow: /', '/', false],
    ['User-agent: csp\nDisallow:\nUser-agent: *\nDisallow: /', '/', true],
    ['User-agent: cspider\nDisallow: /', '/', true],
    ['User-agent: CSP/1.0\nDisallow: /', '/', false],
    ['User-agent: csp\n: no field\nUser-agent: other\nDisallow: /', '/', false],
  ])('%j for %s', (rules, path, outcome) => expect(allows(rules, path)).toBe(outcome))

  test('hold for the beginning of a long address, and a long rule is cut', () => {
    expect(allows('Disallow: /a', `/${'a'.repeat(8000)}`)).toBe(false)
    expect(allows(`Disallow: /a${'b'.repeat(100_000)}`, `/a${'b'.repeat(8000)}`)).toBe(false)
    expect(allows('Disallow: /*z', `/${'a'.repeat(1998)}z`)).toBe(false)
    expect(allows('Disallow: /*z', `/${'a'.repeat(1999)}z`)).toBe(true)
  })

  test('are read up to the 5000th', () => {
    expect(allows(`${'Disallow: /other\n'.repeat(4999)}Disallow: /page`, '/page')).toBe(false)
    expect(allows(`${'Disallow: /other\n'.repeat(5000)}Disallow: /page`, '/page')).toBe(true)
  })

  const lines = (line: string) =>
    `User-agent: *\n${`${line}\n`.repeat(maxRobotsBytes / line.length)}`.slice(0, maxRobotsBytes)
  test.each([
    ['a wildcard repeated', `User-agent: *\nDisallow: /${'*'.repeat(maxRobotsBytes - 50)}x`, `/${'a'.repeat(8000)}`],
    ['many wildcards', lines(`Disallow: /${'*a'.repeat(900)}b`), `/${'a'.repeat(8000)}`],
    ['parts that nearly fit', lines(`Disallow: *${'aab'.repeat(10)}aba`), `/${'aab'.repeat(2600)}`],
    ['many robots', `${'User-agent: *\n'.repeat(15_000)}${'Disallow: /\n'.repeat(20_000)}`, '/'],
    ['empty lines', '\n'.repeat(maxRobotsBytes), '/'],
    ['escapes', lines(`Disallow: *${'%2f'.repeat(600)}`), `/${'%2f'.repeat(2000)}`],
  ])('take little time: %s', async (_, rules, path) => {
    expect(await longestTurn(() => allows(rules, path), 250)).toBeLessThan(250)
  })
})
