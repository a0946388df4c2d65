import { describe, expect, test } from 'bun:test'
import { givesAway, goldenRank, readPublished } from '../../../src/eval/questions/published.ts'
import { QuestionError, sampleOf } from '../../../src/eval/questions/question.ts'

const read = (...lines: readonly string[]) => readPublished(lines.join('\n'))
const common = { asOf: '', isPublished: true }
const links = Array.from({ length: 10 }, (_, index) => `wikipedia_link_${index + 1}`)

describe('a set as it is published', () => {
  test('SimpleQA: addresses and topic in what Python wrote', () => {
    const metadata = `"{'topic': 'Bees', 'answer_type': 'Date', 'urls': ['https://bees.example/a', ""https://bees.example/O'Hara""]}"`
    expect(read('metadata,problem,answer', `${metadata},"When, and ""why""?",4 May 2026\r`, '')).toEqual([
      {
        ...common,
        id: '1',
        question: 'When, and "why"?',
        answers: ['4 May 2026'],
        kind: 'Bees',
        urls: ['https://bees.example/a', "https://bees.example/O'Hara"],
      },
    ])
  })

  test('FRAMES: tabs, an index without a name, one address a column and all of them in a list', () => {
    const header = ['', 'Prompt', 'Answer', ...links, 'wikipedia_link_11+', 'reasoning_types', 'wiki_links'].join('\t')
    const one = 'https://en.wikipedia.org/wiki/Bee_(insect)'
    const two = 'https://en.wikipedia.org/wiki/Hive,_Kent'
    const cells = ['0', 'Which bee\tor hive?', 'Both', one, two, ...Array(8).fill(''), `${one}, ${two}`]
    const row = cells.map((cell) => (cell.includes('\t') ? `"${cell}"` : cell)).join('\t')
    expect(read(header, `${row}\tNumerical\t['${one}', '${two}']`)).toEqual([
      { ...common, id: '1', question: 'Which bee\tor hive?', answers: ['Both'], kind: 'Numerical', urls: [one, two] },
    ])
  })

  test('SealQA: a list without commas, and cells over several lines', () => {
    const row = `"How many\nbees?",Nine,"['https://a.example/x'\n 'https://b.example/y']",never-changing,Biology`
    expect(read('question,answer,urls,freshness,topic', row)).toEqual([
      {
        ...common,
        ...{ id: '1', question: 'How many\nbees?', answers: ['Nine'], kind: 'Biology' },
        urls: ['https://a.example/x', 'https://b.example/y'],
      },
    ])
  })

  test('DeepSearchQA: no addresses', () => {
    const [one, two] = read(
      'problem,problem_category,answer,answer_type',
      'Which bees?,Science,"a, b",Set Answer',
      ',,,',
      'How?,,By wing,Single Answer',
    )
    expect(one).toMatchObject({ question: 'Which bees?', answers: ['a, b'], kind: 'Science', urls: [] })
    expect(two).toMatchObject({ id: '2', kind: 'own' })
  })

  test('names of columns among spaces, addresses without quotes; rows without a question or an answer are left out', () => {
    const [one, ...others] = read(
      ' Question , ANSWER,urls',
      ' , \t,',
      'Q?,A,"https://a.example/x https://b.example/y, https://c.example/z"',
      'Q?,,',
      ',A,',
    )
    const urls = ['https://a.example/x', 'https://b.example/y', 'https://c.example/z']
    expect(one).toEqual({ ...common, id: '1', question: 'Q?', answers: ['A'], kind: 'own', urls })
    expect(others).toEqual([])
  })

  test('10,000 questions at most', () => {
    expect(read('question,answer', ...Array(10_000).fill('Q?,A'))).toHaveLength(10_000)
    expect(() => read('question,answer', ...Array(10_001).fill('Q?,A'))).toThrow('more than 10000 questions')
  })

  test.each([
    ['', 'Line 1 must name the columns'],
    ['question,text\nQ?,A', 'Line 1 must name the columns'],
    ['question,answer\n', 'It has no questions.'],
  ])('%j is refused', (text, message) => {
    expect(() => readPublished(text)).toThrow(QuestionError)
    expect(() => readPublished(text)).toThrow(message)
  })
})

test('the rank of a page that holds the answer, in any spelling of its address', () => {
  const row = (url: string) => ({ url, title: '' })
  const rows = [row('https://a.example/'), row('http://en.m.wikipedia.org/wiki/Bee_%28insect%29?utm_source=x#Life')]
  expect(goldenRank(rows, ['https://en.wikipedia.org/wiki/Bee_(insect)'])).toBe(2)
  expect(goldenRank(rows, ['https://en.wikipedia.org/wiki/Wasp'])).toBe(0)
})

test('pages that may hold a set do not count', () => {
  const away = (url: string, title = 'Bees') => givesAway({ url, title })
  expect(away('https://huggingface.co/datasets/google/frames-benchmark/viewer')).toBe(true)
  expect(away('https://github.com/openai/simple-evals')).toBe(true)
  expect(away('https://blog.example/', 'Results on SimpleQA')).toBe(true)
  expect(away('https://bees.example/frames', 'Frames of a hive')).toBe(false)
  expect(away('https://nothuggingface.co/a')).toBe(false)
})

test('a sample is the same for a seed, another for another, and a larger one goes on with it', () => {
  const all = Array.from({ length: 50 }, (_, index) => ({
    id: String(index),
    question: 'Q',
    answers: ['A'],
    kind: 'k',
    asOf: '',
  }))
  const ids = (count: number, seed: number) => sampleOf(all, count, seed).map(({ id }) => id)
  expect(ids(10, 1)).toEqual(ids(20, 1).slice(0, 10))
  expect(ids(10, 1)).not.toEqual(ids(10, 2))
  expect(new Set(ids(80, 3)).size).toBe(50)
  expect(ids(8, 1).map(Number)).toEqual([31, 0, 26, 49, 47, 13, 29, 35])
})
