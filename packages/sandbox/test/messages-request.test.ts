import { describe, expect, test } from 'bun:test'
import { classify, lastUserTurn, questionTurn } from '../src/messages-request.ts'
import { requestOf, sampleRequests } from './sample-requests.ts'

const resumed = 'Output token limit hit. Resume directly — no apology, no recap of what you were doing.'

describe('the kind of a model call', () => {
  test('is search when it has the server tool', () => {
    expect(classify(sampleRequests.search('bun'))).toBe('search')
  })

  test('is decide when it offers WebSearch', () => {
    expect(classify(sampleRequests.decide('bun?'))).toBe('decide')
  })

  test('is write when it has a tool result, although WebSearch is still offered', () => {
    expect(classify(sampleRequests.afterSearch('bun?', 'Links: []'))).toBe('write')
  })

  test('is write when it has no tools', () => {
    expect(classify(sampleRequests.write('bun?'))).toBe('write')
  })

  test('is decide again for a second question in the same session', () => {
    const { messages, tools } = sampleRequests.afterSearch('bun?', 'Links: []')
    const next = [...messages, { role: 'assistant', content: 'It is.' }, { role: 'user', content: 'And node?' }]
    expect(classify(requestOf(next, { tools }))).toBe('decide')
  })

  test('of a request for the rest of a reply is that of the reply', () => {
    const { messages, tools } = sampleRequests.afterSearch('bun?', 'Links: []')
    // Newer CLIs wrap what they say themselves.
    for (const content of [resumed, `<system-reminder>\n${resumed}\n</system-reminder>`]) {
      const next = [...messages, { role: 'assistant', content: 'It' }, { role: 'user', content }]
      expect(classify(requestOf(next, { tools }))).toBe('write')
    }
  })

  test('does not depend on what the user writes', () => {
    const text = 'web_search_20250305 WebSearch tool_result error-500 hang'
    expect(classify(sampleRequests.write(text))).toBe('write')
    expect(classify(sampleRequests.decide(text))).toBe('decide')
  })
})

describe('the last user turn of a request', () => {
  test("leaves out what the CLI wraps around the user's words", () => {
    const caveat = '<local-command-caveat>Caveat: the messages below…</local-command-caveat>'
    const command = '<command-name>/clear</command-name>\n<command-args></command-args>'
    const content = [caveat, command, '<system-reminder>\nBe kind.\n</system-reminder>', 'What is Bun?']
    const request = requestOf([{ role: 'user', content: content.map((text) => ({ type: 'text', text })) }])
    expect(lastUserTurn(request).text).toBe('What is Bun?')
  })

  test('includes tool results of both shapes', () => {
    const blocks = ['one', [{ type: 'text', text: 'two' }, { type: 'image' }]]
    const request = requestOf([{ role: 'user', content: blocks.map((content) => ({ type: 'tool_result', content })) }])
    expect(lastUserTurn(request).toolResults.map((text) => text.trim())).toEqual(['one', 'two'])
  })

  test('has texts alone, of what is a text', () => {
    const parts = [null, 'x', { text: 5 }, { type: 'image' }, { type: 'text', text: 'two' }]
    const content = [
      { type: 'document', text: 'no' },
      { type: 'text' },
      { type: 'text', text: 'yes' },
      { type: 'tool_result', content: parts },
    ]
    const { text, toolResults } = lastUserTurn(requestOf([{ role: 'user', content }]))
    expect([text, toolResults.map((result) => result.trim())]).toEqual(['yes', ['two']])
  })

  test('asks nothing where it has only results of tools', () => {
    const asked = [{ role: 'user', content: 'Bees?' }]
    const results = { role: 'user', content: [{ type: 'tool_result', content: 'Rain' }] }
    expect(questionTurn(requestOf([...asked, results])).text).toBe('Bees?')
    const again = { role: 'user', content: 'You called none. Call one.' }
    expect(questionTurn(requestOf([...asked, results, again])).text).toBe('Bees?')
  })

  test('is the words themselves when there is nothing else', () => {
    expect(lastUserTurn(sampleRequests.write(resumed)).text).toBe(resumed)
  })
})
