// A backend of your own: anything with a name, a search, a health and an end. This one searches a list of notes.
//
//   node examples/own-backend.mjs tea
import { createApp, SearchError, sourcesOf } from 'claude-search-proxy'

const notes = [
  { title: 'Green tea', url: 'https://notes.example.org/green-tea', snippet: 'Green tea is brewed at 70 to 80 °C.' },
  { title: 'Coffee', url: 'https://notes.example.org/coffee', snippet: 'Coffee is brewed at 90 to 96 °C.' },
]

/** @type {import('claude-search-proxy').Executor} */
const myNotes = {
  name: 'notes',
  // No model, so no answers: createApp makes them of excerpts, or has Claude write them.
  supports: ({ want }) => want === 'results',
  async *search({ query }, { signal }) {
    if (signal.aborted) throw new SearchError('cancelled', 'The caller has left.')
    const words = query.toLowerCase().split(/\s+/)
    const found = notes.filter(({ title }) => words.some((word) => title.toLowerCase().includes(word)))
    yield { type: 'search-start', id: 'search-1', query }
    yield { type: 'search-results', id: 'search-1', results: found.map((note) => ({ ...note, source: 'notes' })) }
    const usage = { searches: 1, inputTokens: 0, outputTokens: 0 }
    yield { type: 'done', reason: 'stop', usage, model: 'notes' }
  },
  health: async () => ({ ready: true, backends: [{ name: 'notes', ready: true }] }),
  close: async () => {},
}

const csp = createApp({ backends: myNotes })
const { searches } = await csp.search({ query: process.argv[2] ?? 'tea' })
for (const { title, url } of sourcesOf(searches)) console.log(`${title}  ${url}`)
const answer = await csp.search({ query: 'How hot should tea be?', want: 'answer' })
console.log(answer.text)
await csp.close()
