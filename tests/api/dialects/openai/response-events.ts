import { expect } from 'bun:test'

/** The events of a streamed response; each says its type twice, and the two agree. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
export function eventsOf(text: string): readonly any[] {
  return text
    .split('\n\n')
    .filter((block) => block && !block.startsWith(':'))
    .map((block) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
      const event = JSON.parse(data)
      expect(event.type).toBe(name)
      return event
    })
}
