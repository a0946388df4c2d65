import { describe, expect, test } from 'bun:test'
import { codes } from '../../src/catalogue/codes.ts'
import { refusals } from '../../src/catalogue/refusals.ts'
import { compile, type Line, plainWords } from '../../src/catalogue/template.ts'
import { understand } from '../../src/catalogue/understand.ts'
import { fragments, sentences } from '../../src/catalogue/wordings.ts'

const values: Readonly<Record<string, string>> = {
  context: '40,000',
  prompt: '50000',
  more: '3000',
  asked: '32000',
  max: '8192',
  n: '7',
  limit: '`max_tokens`',
  field: '"propertyNames"',
}

/** A sentence that has the words of a line, as an upstream may say it. */
function filled([, words]: Line): string {
  const text = words.replaceAll('*', ' and so on ').replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  return `Error: ${text}. Thank you.`
}

function expected([meaning, words]: Line) {
  const numbers = { context: 40000, prompt: 50000, more: 3000, asked: 32000, max: 8192, n: 7, field: 'propertynames' }
  const holes = Object.fromEntries(Object.entries(numbers).filter(([name]) => words.includes(`{${name}}`)))
  const [name, feature] = meaning.split(' ')
  return { meaning: name, feature: feature?.replace('{field}', 'propertynames'), holes }
}

const all = [...sentences, ...refusals, ...fragments]

describe('A line of the catalogue', () => {
  test.each(all.map((line) => [line[1], line] as const))('is read in "%s"', (_, line) => {
    const read = understand({ status: 400, body: { error: { message: filled(line) } } })
    // Another line here: this one is never read, since that one stands in front of it.
    expect(read?.line).toEqual(line)
    expect({ meaning: read?.meaning, feature: read?.feature, holes: read?.holes }).toMatchObject(expected(line))
  })

  test('says what no line behind it says', () => {
    const templates = all.map(compile)
    const spare = templates.filter(({ line }, index) => {
      const text = plainWords(filled(line))
      const next = templates.slice(index + 1).find(({ find }) => find(text))
      return (
        next &&
        next.line[0] === line[0] &&
        JSON.stringify(next.find(text)) === JSON.stringify(templates[index]?.find(text))
      )
    })
    expect(spare.map(({ line }) => line[1])).toEqual([])
  })

  test('has a code once', () => {
    const names = codes.map(([code]) => code)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
