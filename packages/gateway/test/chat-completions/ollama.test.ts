import { expect, spyOn, test } from 'bun:test'
import { answersAsOllama, mayBeOllama } from '../../src/chat-completions/ollama.ts'

test.each([
  ['{"version":"0.9.1"}', 200, true],
  ['{"version":"0.9.1"}', 404, false],
  ['{"version":"0.9.1","more":1}', 200, false],
  ['{"version":1}', 200, false],
  ['<html>', 200, false],
  ['', 200, false],
  [`{"version":"${'x'.repeat(10_000)}"}`, 200, false],
])('a server that answers %j with %i is Ollama: %p', async (body, status, isOllama) => {
  const asked: string[] = []
  const fetchWith = async (url: string | URL | Request, init?: RequestInit) => {
    asked.push(`${url} ${init?.redirect}`)
    return new Response(body, { status })
  }
  for (const url of ['http://a.lan:11434', 'http://a.lan:11434/v1', 'http://a.lan:11434/v1/'])
    expect(await answersAsOllama(url, fetchWith as never)).toBe(isOllama)
  expect(asked).toEqual(Array(3).fill('http://a.lan:11434/api/version manual'))
})

test('of a server that does not answer within two seconds nothing is known', async () => {
  const { timeout } = AbortSignal
  const limited = spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 0))
  try {
    const fetchWith = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    expect(await answersAsOllama('http://a.lan', fetchWith as never)).toBeUndefined()
    expect(limited.mock.calls).toEqual([[2000]])
  } finally {
    limited.mockRestore()
  }
})

test('of a server that cannot be reached nothing is known', async () => {
  const fetchWith = async () => {
    throw new TypeError('There is no such server.')
  }
  expect(await answersAsOllama('http://a.lan/api', fetchWith as never)).toBeUndefined()
})

test.each([
  ['http://ollama:11434', true],
  ['http://172.31.0.1', true],
  ['http://172.32.0.1', false],
  ['http://a.lan', true],
  ['http://8.8.8.8', false],
  ['https://a.example', false],
])('%s may be Ollama: %p', (url, isOne) => expect(mayBeOllama(url)).toBe(isOne))
