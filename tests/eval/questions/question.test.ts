import { describe, expect, test } from 'bun:test'
import { facts } from '../../../src/eval/questions/facts.ts'
import { loadFreshQuestions } from '../../../src/eval/questions/fresh.ts'
import { pickQuestions, readQuestions } from '../../../src/eval/questions/question.ts'
import { holdsAnswer } from '../../../src/eval/score.ts'

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

  test('may have 10,000 questions of 2,000 characters', () => {
    const line = (at: number) => JSON.stringify({ question: 'Q'.repeat(at === 0 ? 2000 : 1), answer: ' A ' })
    const questions = readQuestions(Array.from({ length: 10_000 }, (_, at) => line(at)).join('\n'))
    expect(questions).toHaveLength(10_000)
    expect(questions[9999]).toMatchObject({ id: '10000', answers: ['A'] })
  })

  test.each([
    ['{"question": "Q?", "answer": "A"}\nno', 'Line 2 is not JSON.'],
    ['{"answer": "A"}', 'Line 1: question: Invalid input: expected string'],
    ['{"question": "Q?"}', 'Line 1: answer: it is missing'],
    ['{"question": "Q?", "answer": ""}', 'Line 1: answer: '],
    ['{"question": " ", "answer": "A"}', 'Line 1: question: it is empty'],
    [`{"question": "${'x'.repeat(2001)}", "answer": "A"}`, 'Line 1: question: it is too long'],
    ['{"question":"Q?","answer":"A"}\n'.repeat(10_001), 'It has more than 10000 questions.'],
    ['[]', 'Line 1: the line: '],
    ['', 'It has no questions.'],
    [
      '{"id": "a", "question": "Q?", "answer": "A"}\n{"id": "a", "question": "Q?", "answer": "A"}',
      'Two questions have',
    ],
  ])('is refused when it is %p', (text, message) => {
    expect(() => readQuestions(text)).toThrow(message)
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
    const questions = await loadFreshQuestions(load, '2026-11-22', 'http://releases.example')
    expect(asked).toHaveLength(20)
    expect(asked[0]).toBe('http://releases.example/api/nodejs.json')
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
