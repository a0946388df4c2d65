// The views of the page, each with an address of its own. What is asked stands in the fragment too: a reload fills it in.

import { createStore } from './store.ts'

export const views = ['earlier', 'state', 'clients', 'data', 'keys'] as const

/** `answer` is what was asked in this tab; `receipt` an earlier question, `job` one answered in the background. */
export type Route =
  | { readonly view: 'home' | (typeof views)[number] }
  | { readonly view: 'answer' }
  | { readonly view: 'receipt' | 'job'; readonly id: string }

export const route = createStore<Route>(read())

function read(): Route {
  const fragment = location.hash.slice(1)
  const named = views.find((view) => view === fragment)
  if (named) return { view: named }
  const words = new URLSearchParams(fragment)
  for (const view of ['receipt', 'job'] as const) {
    const id = words.get(view)
    if (id) return { view, id }
  }
  return words.has('q') && hasAnswer() ? { view: 'answer' } : { view: 'home' }
}

let answered = () => false

/** Whether something has been asked in this tab: its address leads to the answer, another's to the question alone. */
export function answersWhere(known: () => boolean): void {
  answered = known
}

function hasAnswer(): boolean {
  return answered()
}

export function followRoute(): void {
  addEventListener('hashchange', () => {
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
  // Without `?q=`, so that no reload searches again.
  history.replaceState(null, '', `${location.pathname}#${new URLSearchParams({ q: question, model })}`)
  route.set({ view: 'answer' })
}
