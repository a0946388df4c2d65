// The views of the page, each with an address of its own. What is asked stands in the fragment too: a reload fills it in.

import { createStore } from './store.ts'

const views = ['earlier', 'state', 'clients', 'data', 'keys'] as const

/** `answer` is what was asked in this tab; `receipt` an earlier question, `job` one answered in the background. */
export type Route =
  | { readonly view: 'home' | 'answer' | (typeof views)[number] }
  | { readonly view: 'receipt' | 'job'; readonly id: string }

let hasAnswer = false

export const route = createStore<Route>(read())

function read(): Route {
  const fragment = location.hash.slice(1)
  const named = views.find((view) => view === fragment)
  if (named) return { view: named }
  const words = new URLSearchParams(fragment)
  for (const view of ['receipt', 'job'] as const) {
    const id = words.get(view)
    if (id && /^\w{1,64}$/.test(id)) return { view, id }
  }
  return words.has('q') && hasAnswer ? { view: 'answer' } : { view: 'home' }
}

/** `onNew` is called where a new question is begun by its address. */
export function followRoute(onNew: () => void): void {
  addEventListener('hashchange', () => {
    if (location.hash === '#new') onNew()
    route.set(read())
    scrollTo(0, 0)
  })
}

/** Goes to an address of this page, such as `#state`. */
export function go(fragment: string): void {
  location.hash = fragment
}

/** The address of the question that is asked, without a step in the history. */
export function showAnswer(question: string, model: string): void {
  hasAnswer = true
  // Without `?q=`, so that no reload searches again.
  history.replaceState(null, '', `${location.pathname}#${new URLSearchParams({ q: question, model })}`)
  route.set({ view: 'answer' })
}
