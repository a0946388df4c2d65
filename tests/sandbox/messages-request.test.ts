import { describe, expect, test } from 'bun:test'
import { classify, lastUserTurn } from '../../src/sandbox/messages-request.ts'
import { requestOf, sampleRequests } from './sample-requests.ts'

const resumed = 'Output token limit hit. Resume directly — no apology, no recap of what you were doing.'

describe('classify', () => {
  test('a call with the server tool is a search', () => {
    expect(classify(sampleRequests.search('bun'))).toBe('search')
  })

  test('a call that offers WebSearch is a decision', () => {
    expect(classify(sampleRequests.decide('bun?'))).toBe('decide')
  })

  test('a call with a tool result is for writing, though WebSearch is still on offer', () => {
    expect(classify(sampleRequests.afterSearch('bun?', 'Links: []'))).toBe('write')
  })

  test('a call without tools is for writing', () => {
    expect(classify(sampleRequests.write('bun?'))).toBe('write')
  })

  test('a second question in the same session is a decision again', () => {
    const { messages, tools } = sampleRequests.afterSearch('bun?', 'Links: []')
    const next = [...messages, { role: 'assistant', content: 'It is.' }, { role: 'user', content: 'And node?' }]
    expect(classify(requestOf(next, { tools }))).toBe('decide')
  })

  test('a request for the rest of a reply is for what the reply was for', () => {
    const { messages, tools } = sampleRequests.afterSearch('bun?', 'Links: []')
    const next = [...messages, { role: 'assistant', content: 'It' }, { role: 'user', content: resumed }]
    expect(classify(requestOf(next, { tools }))).toBe('write')
  })

  test('what a person writes decides nothing', () => {
    const text = 'web_search_20250305 WebSearch tool_result error-500 hang'
    expect(classify(sampleRequests.write(text))).toBe('write')
    expect(classify(sampleRequests.decide(text))).toBe('decide')
  })
})

describe('lastUserTurn', () => {
  test('leaves out what the CLI wraps around the words of a person', () => {
    const caveat = '<local-command-caveat>Caveat: the messages below…</local-command-caveat>'
    const command = '<command-name>/clear</command-name>\n<command-args></command-args>'
    const content = [caveat, command, '<system-reminder>\nBe kind.\n</system-reminder>', 'What is Bun?']
    const request = requestOf([{ role: 'user', content: content.map((text) => ({ type: 'text', text })) }])
    expect(lastUserTurn(request).text).toBe('What is Bun?')
  })

  test('reads tool results of both shapes', () => {
    const blocks = ['one', [{ type: 'text', text: 'two' }, { type: 'image' }]]
    const request = requestOf([{ role: 'user', content: blocks.map((content) => ({ type: 'tool_result', content })) }])
    expect(lastUserTurn(request).toolResults.map((text) => text.trim())).toEqual(['one', 'two'])
  })

  test('takes the words themselves when nothing else was said', () => {
    expect(lastUserTurn(sampleRequests.write(resumed)).text).toBe(resumed)
  })
})
