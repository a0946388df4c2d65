import { expect, test } from 'bun:test'
import { oppositesByForm } from '../src/prefixes.ts'

test.each([
  ['en', 'uncontrolled', 'controlled'],
  ['en', 'irregular', 'regular'],
  ['en', 'careless', 'careful'],
  ['de', 'unsicher', 'sicher'],
  ['de', 'lieblos', 'liebvoll'],
  ['fr', 'inefficace', 'efficace'],
  ['es', 'inestable', 'estable'],
  ['it', 'scontento', 'contento'],
  ['pt', 'impropria', 'propria'],
  ['nl', 'onveilig', 'veilig'],
  ['sv', 'oklar', 'klar'],
  ['pl', 'niejasny', 'jasny'],
  ['ru', 'незаконный', 'законный'],
])('%s: %s may be the opposite of %s', (language, word, bare) => {
  expect(oppositesByForm(word, language)).toContain(bare)
})

test.each([
  ['en', 'inform'],
  ['en', 'discover'],
  ['en', 'discovered'],
  ['en', 'irate'],
  ['de', 'unfall'],
  ['de', 'ungefahr'],
  ['fr', 'importe'],
  ['ru', 'несколько'],
  ['de', 'insicher'],
])('%s: %s only looks so', (language, word) => {
  expect(oppositesByForm(word, language)).toEqual([])
})
