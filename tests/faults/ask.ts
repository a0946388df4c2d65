import { oneSearchServer } from '../support/csp-process.ts'
import { isFull } from './full.ts'

/** One way to ask csp: the names that it says in its reply, and how. */
export interface Way {
  readonly name: string
  send(url: string, query: string, signal?: AbortSignal): Promise<Response>
}

/** A request for each strategy, in several dialects, whole and streamed. */
export const ways: readonly Way[] = [
  way('a list, Brave', '/res/v1/web/search', (query) => `?q=${encodeURIComponent(query)}`),
  way('a list, Perplexity', '/search', (query) => ({ query })),
  way('a list, our own', '/v1/search', (query) => ({ query })),
  way('fast, Sonar', '/chat/completions', (query) => chat('sonar', query)),
  way('standard, OpenAI', '/v1/chat/completions', (query) => chat('sonnet', query)),
  way('standard, Anthropic, streamed', '/v1/messages', (query) => ({
    ...chat('claude-sonnet-4-5', query),
    max_tokens: 1000,
    stream: true,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  })),
  way('deep, OpenAI, streamed', '/v1/chat/completions', (query) => ({
    ...chat('sonar-reasoning-pro', query),
    stream: true,
  })),
]

/** One way for each strategy, for what breaks below the dialects; the full run takes them all. */
export const waysOfEachStrategy = isFull
  ? ways
  : ['a list, Brave', 'fast, Sonar', 'standard, Anthropic, streamed', 'deep, OpenAI, streamed'].map(wayOf)

/** Flags for one search server; the full run has two, as csp by default. */
export const fewSearchServers = isFull ? [] : oneSearchServer

/** The way of this name. */
export function wayOf(name: string): Way {
  const found = ways.find((way) => way.name === name)
  if (!found) throw new Error(`No way is called ${name}.`)
  return found
}

function way(name: string, path: string, input: (query: string) => string | object): Way {
  return {
    name,
    send(url, query, signal) {
      const given = input(query)
      if (typeof given === 'string') return fetch(`${url}${path}${given}`, { ...options, signal: signal ?? null })
      const headers = { 'content-type': 'application/json' }
      return fetch(`${url}${path}`, {
        ...options,
        method: 'POST',
        headers,
        body: JSON.stringify(given),
        signal: signal ?? null,
      })
    },
  }
}

/** A connection for each, so that what csp holds can be counted. */
const options = { keepalive: false }

function chat(model: string, content: string): object {
  return { model, messages: [{ role: 'user', content }] }
}
