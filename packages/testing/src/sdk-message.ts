import Anthropic from '@anthropic-ai/sdk'

/** The message that Anthropic's own client assembles from the events of a stream, as it gets them over HTTP. */
export async function assembleWithSdk(events: readonly { readonly type: string }[]): Promise<unknown> {
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const client = new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://127.0.0.1:9',
    maxRetries: 0,
    fetch: async () => new Response(frames, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  // As JSON, as a client would show it: the accumulator's objects have getters.
  return JSON.parse(JSON.stringify(await stream.finalMessage()))
}
