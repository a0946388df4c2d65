import { describe, expect, test } from 'bun:test'
import { facts } from '../../../bench/eval/facts.ts'
import { loadFreshQuestions } from '../../../bench/eval/fresh.ts'
import { givesAway, goldenRank, readPublished } from '../../../bench/eval/published.ts'
import { pickQuestions, readQuestions, sampleOf } from '../../../bench/eval/question.ts'
import { holdsAnswer } from '../../../bench/eval/score.ts'

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

  test.each([
    ['', 'Line 1 must name the columns'],
    ['question,text\nQ?,A', 'Line 1 must name the columns'],
    ['question,answer\n', 'It has no questions.'],
  ])('%j is refused', (text, message) => {
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

describe('a file of questions', () => {
  test('has one JSON object a line, of which two fields are needed', () => {
    const lines = [
      '{"question": "Q1?", "answer": "A"}',
      ' ',
      '{"id": 7, "question": "Q2?", "answers": ["B", "C"], "kind": "x"}',
    ]
    expect(readQuestions(lines.join('\n'))).toEqual([
      { id: '1', question: 'Q1?', answers: ['A'], kind: 'own', asOf: '' },
      { id: '7', question: 'Q2?', answers: ['B', 'C'], kind: 'x', asOf: '' },
    ])
  })

  test.each([
    '{"answer": "A"}',
    '{"question": "Q?"}',
    '{"question": "Q?", "answer": ""}',
    '{"question": " ", "answer": "A"}',
    '[]',
  ])('is refused where a line is %p', (line) => {
    expect(() => readQuestions(`{"question": "Q?", "answer": "A"}\n${line}`)).toThrow('Line 2')
  })
})

describe('the facts', () => {
  test('are fifty, of five kinds, each with an id of its own and a date', () => {
    expect(facts).toHaveLength(50)
    expect(new Set(facts.map(({ id }) => id)).size).toBe(50)
    expect(new Set(facts.map(({ kind }) => kind)).size).toBe(5)
    for (const { asOf } of facts) expect(asOf).toMatch(/^\d{4}-\d\d$/)
  })

  test('do not have the answer in the question, which many a page repeats', () => {
    expect(facts.filter((fact) => holdsAnswer(fact.question, fact))).toEqual([])
  })
})

test('a few questions are of all kinds in turn, and always the same', () => {
  const picked = pickQuestions(facts, 7)
  expect(picked.map(({ kind }) => kind)).toEqual([
    ...['software', 'standards', 'places', 'science', 'culture'],
    ...['software', 'standards'],
  ])
  expect(pickQuestions(facts, 7)).toEqual(picked)
  expect(pickQuestions(facts, 500)).toHaveLength(50)
})

describe('fresh questions', () => {
  const cycles = [
    { cycle: '26', latest: '26.3.0', latestReleaseDate: '2026-11-10' },
    { cycle: '24', latest: '24.9.9' },
  ]

  test('ask for the latest release, and leave out what cannot be read', async () => {
    const asked: string[] = []
    const load = async (url: string) => {
      asked.push(url)
      if (url.endsWith('/bun.json')) throw new Error('not found')
      return url.endsWith('/go.json') ? { message: 'odd' } : cycles
    }
    const questions = await loadFreshQuestions(load, '2026-11-22')
    expect(asked).toHaveLength(20)
    expect(asked[0]).toBe('https://endoflife.date/api/nodejs.json')
    expect(questions).toHaveLength(18)
    expect(questions[0]).toMatchObject({ id: 'nodejs', answers: ['26.3.0'], asOf: '2026-11-22' })
  })

  test('say that no release is named where each product has none', async () => {
    await expect(loadFreshQuestions(async () => [], '2026-11-22')).rejects.toThrow('names no release')
  })

  test('say why none could be read', async () => {
    const load = () => Promise.reject(new Error('no network'))
    await expect(loadFreshQuestions(load, '2026-11-22')).rejects.toThrow('no network')
  })
})
