import { describe, expect, test } from 'bun:test'
import { proseOf } from '../../../src/page-reader/extract/prose.ts'

const sentence =
  'Bees are insects that hum, and they make honey, which is sweet, golden and loved by bears and by people.'
const prose = Array.from({ length: 4 }, () => sentence).join('\n\n')

describe('the prose of a page', () => {
  test('has no menus, teasers and labels around it', () => {
    const menu = '- [Home](/)\n- [Shop](/shop)\n- [All about honey and wax](/honey)'
    const teaser = '[![A wasp](/w.png) Wasps: what they sting and why, in ten pictures that nobody expected](/wasps)'
    expect(proseOf(`Sign in\n\n${menu}\n\n${prose}\n\n${teaser}\n\nShare\n\n© 2026`)).toBe(prose)
  })

  test('has headings, short lines, lists, tables and code that stand in it', () => {
    const table = '| Kind | Legs |\n| --- | --- |\n| Bee | 6 |'
    const code = '```js\nhum()\n\n\nx\n\n[a](b)\n```'
    const page = `${sentence}\n\n## Kinds\n\nIn short:\n\n${sentence}\n\n${table}\n\n${sentence}\n\n${code}\n\n${sentence}`
    expect(proseOf(page)).toBe(page.replace('\n\n\nx', '\n\nx'))
  })

  test('is all of a page that has hardly any', () => {
    const list = Array.from({ length: 20 }, (_, index) => `- [Bee ${index}](/${index})`).join('\n')
    expect(proseOf(`# Bees\n\n${list}`)).toBe(`# Bees\n\n${list}`)
  })

  test.each(['[', '![', '[a](', '[a](b(', '```\n', '\n\n', '# ', '.', '[a](b "'])(
    'is found in linear time in many of %s',
    (piece) => {
      // The time limit of a test is the assertion: what takes the square of this takes minutes.
      expect(proseOf(piece.repeat(150_000)).length).toBeGreaterThanOrEqual(0)
    },
  )
})
