import { describe, expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { openAiError, serveProvider } from '../support/strict-provider.ts'
import { serveResponses } from '../support/strict-responses.ts'

const closed = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
const open = { type: 'object', properties: { name: { type: 'string' } } }

function asking(more: object): MessagesRequest {
  return { model: 'm', max_tokens: 50, system: 'You are.', messages: [{ role: 'user', content: 'hi' }], ...more }
}

const asked = asking({ output_config: { format: { type: 'json_schema', schema: closed } } })
const signal = new AbortController().signal

describe('A schema for the reply', () => {
  test.each([
    [
      'output_config.format',
      { output_config: { effort: 'low', format: { type: 'json_schema', schema: closed } } },
      true,
    ],
    ['output_format', { output_format: { type: 'json_schema', schema: closed } }, true],
    ['a schema that leaves something open', { output_format: { type: 'json_schema', schema: open } }, false],
    [
      'one that does so within',
      { output_format: { type: 'json_schema', schema: { ...closed, properties: { name: { anyOf: [open] } } } } },
      false,
    ],
  ])('reaches both APIs of OpenAI: %s', async (_name, more, strict) => {
    await using chat = serveProvider()
    await foldMessage(chatUpstream({ name: 'x', baseUrl: chat.url, kind: 'other' }).send(asking(more), { signal }))
    const [format] = chat.bodies.map((body) => body.response_format)
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { name: 'reply', strict } })
    await using responses = serveResponses()
    await foldMessage(responsesUpstream({ name: 'x', baseUrl: responses.url }).send(asking(more), { signal }))
    const [body] = responses.bodies as readonly Record<string, unknown>[]
    expect(body?.['text']).toEqual({ format: { type: 'json_schema', ...format?.json_schema } })
    expect(body?.['instructions']).toBe('You are.')
  })

  test.each([
    ['a provider without it', 400, 'This response_format type is unavailable now', 2],
    ['a model without it', 400, "'response_format' is not supported with this model", 1],
    ['tools that leave no room for it', 500, 'Cannot use custom grammar constraints with tools.', 2],
    ['a schema that it cannot hold to', 400, 'Invalid schema for response_format: it must be closed', 2],
  ])('stands in the prompt where it is refused: %s', async (_name, status, message, refusals) => {
    let refused = 0
    await using server = serveProvider({
      refuse: (body) => {
        if (!('response_format' in body)) return undefined
        refused++
        return openAiError(status, message)
      },
    })
    const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'other' })
    await foldMessage(upstream.send(asked, { signal }))
    await foldMessage(upstream.send({ ...asked, system: [{ type: 'text', text: 'You are.' }] }, { signal }))
    expect(refused).toBe(refusals)
    const [system] = server.bodies.at(-1)?.messages ?? []
    expect(system).toEqual({ role: 'system', content: expect.stringContaining(JSON.stringify(closed)) })
    expect(system?.content).toStartWith('You are.\n\nReply with one JSON value')
  })

  test('stands in the prompt where the Responses API refuses it', async () => {
    await using server = serveResponses({
      refuse: (body) =>
        'text' in body
          ? openAiError(400, 'Unsupported', { param: 'text.format', code: 'unsupported_parameter' })
          : undefined,
    })
    await foldMessage(responsesUpstream({ name: 'x', baseUrl: server.url }).send(asked, { signal }))
    const last = server.bodies.at(-1) as Record<string, unknown> | undefined
    expect(last?.['instructions']).toEqual(expect.stringContaining(JSON.stringify(closed)))
  })

  test('is held against its form, and the error names the field', async () => {
    const upstream = chatUpstream({ name: 'x', baseUrl: 'http://127.0.0.1:9', kind: 'other' })
    const wrong = asking({ output_config: { format: { type: 'json_schema', schema: 'no' } } })
    await expect(foldMessage(upstream.send(wrong, { signal }))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('output_config.format.schema'),
    })
  })
})
