import { expect, test } from 'bun:test'
import { sourcesOf } from '../../src/domain/answer.ts'

test('a page that two searches found is one source, as the first search described it', () => {
  const page = { title: 'Bees', url: 'https://bees.example/', snippet: 'They hum.', source: 'first' }
  const again = { ...page, title: 'More bees', snippet: 'They sting.', source: 'second' }
  const wasps = { title: 'Wasps', url: 'https://wasps.example/', source: 'second' }
  const searches = [
    { id: '1', query: 'bees', results: [page] },
    { id: '2', query: 'wasps', results: [again, wasps] },
  ]
  expect(sourcesOf(searches)).toEqual([page, wasps])
})
