import type { Frame, Framing } from '../../dialect.ts'

/** A frame that ends a stream with an error. */
export function errorFrame(body: unknown): Frame {
  return { event: 'error', data: JSON.stringify(body) }
}

/**
 * Server-sent events as Google's clients read them. Some know no comments, so a heartbeat is the beginning of the next
 * event, and spaces in it. An error stands in an event, which most clients look for, and bare behind it: others take an
 * event without a candidate for nothing, and fail only at what is no event.
 */
export function createEventFraming(): Framing {
  let isBegun = false
  return {
    contentType: 'text/event-stream; charset=utf-8',
    write({ event, data }) {
      const text = `${isBegun ? '' : 'data: '}${data}\r\n\r\n`
      isBegun = false
      return event === 'error' ? `${text}${data}\n` : text
    },
    heartbeat() {
      const text = isBegun ? ' ' : 'data: '
      isBegun = true
      return text
    },
    end: () => '',
  }
}

/** A list of JSON, each item of which is sent when it is there. */
export function createListFraming(): Framing {
  let isBegun = false
  return {
    contentType: 'application/json; charset=utf-8',
    write({ data }) {
      const text = `${isBegun ? ',\r\n' : '['}${data}`
      isBegun = true
      return text
    },
    heartbeat: () => '\n',
    end: () => (isBegun ? ']' : '[]'),
  }
}
