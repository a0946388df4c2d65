// What has been asked in this tab: a question and its follow-ups.

import { CallError, json, storedKey } from './api.ts'
import { closeCard } from './card-state.ts'
import { Exchange, followUpModel, type Model } from './exchange.ts'
import { route, showAnswer } from './route.ts'
import { nextTurn, onUnauthorized } from './server.ts'
import { createStore } from './store.ts'

/** How many earlier exchanges go along with a follow-up. */
const maxEarlier = 10

export const thread = createStore<readonly Exchange[]>([])

/** What the box of the home view holds: a question of the address, or one to be changed. */
export const draft = createStore<{ readonly question: string; readonly model: Model }>({
  question: '',
  model: 'sonar-pro',
})

export function running(): Exchange | undefined {
  return thread.get().find(({ isRunning }) => isRunning)
}

/** Begins a thread. */
export function ask(question: string, model: Model): void {
  stopAll()
  const exchange = new Exchange(question, model)
  thread.set([exchange])
  showAnswer(question, model)
  scrollTo(0, 0)
  void run(exchange)
}

export function followUp(question: string): void {
  stopAll()
  const exchange = new Exchange(question, followUpModel)
  thread.set([...thread.get(), exchange])
  showAnswer(question, followUpModel)
  void run(exchange)
}

/** Asks about an answer that is kept: it goes along as if it had been given now. */
export function askAbout(kept: { question: string; text: string }, question: string): void {
  const before = new Exchange(kept.question, 'sonar-pro')
  before.store.set({ ...before.store.get(), phase: 'done', text: kept.text, began: { search: 0, done: 0 } })
  thread.set([before])
  followUp(question)
}

/** The same question once more, or with another effort. */
export function askAgain(exchange: Exchange, model: Model = exchange.model, isFresh = false): void {
  if (model === exchange.model) return void run(exchange, isFresh)
  const other = new Exchange(exchange.question, model)
  thread.set(thread.get().map((one) => (one === exchange ? other : one)))
  showAnswer(exchange.question, model)
  void run(other)
}

export function newQuestion(question = '', model: Model = 'sonar-pro'): void {
  stopAll()
  thread.set([])
  draft.set({ question, model })
  if (location.hash !== '#new') history.pushState(null, '', '#new')
  route.set({ view: 'home' })
}

function stopAll(): void {
  closeCard()
  for (const exchange of thread.get()) exchange.stop()
}

async function run(exchange: Exchange, isFresh = false): Promise<void> {
  closeCard()
  const all = thread.get()
  const earlier = all.slice(0, all.indexOf(exchange)).filter(({ store }) => store.get().phase === 'done')
  const key = storedKey()
  await exchange.run(
    earlier.slice(-maxEarlier).flatMap(({ question, store }) => [
      { role: 'user' as const, content: question },
      { role: 'assistant' as const, content: store.get().text },
    ]),
    isFresh,
  )
  const { error } = exchange.store.get()
  if (error instanceof CallError && error.status === 401 && key === storedKey()) onUnauthorized(error)
  nextTurn()
}

/** Has csp answer a question in the background, once a limit ends. Returns the id of the job. */
export async function askLater({ question, model }: Exchange): Promise<string> {
  const request = { model, messages: [{ role: 'user', content: question }] }
  const body = JSON.stringify({ request })
  const { id } = await json<{ id: string }>('async/chat/completions', { method: 'POST', body })
  return id
}

/** The question of the address: asked at once for a search engine's address alone, filled in otherwise. */
export function readAddress(): void {
  const kept = new URLSearchParams(location.hash.slice(1))
  const address = new URLSearchParams(location.search)
  const sought = address.get('q')
  // What a phone shares may have its words in the title alone.
  const question = (kept.get('q') ?? sought ?? address.get('title') ?? address.get('url') ?? '').slice(0, 2000)
  const named = kept.get('model') ?? ''
  const model = isModel(named) ? named : 'sonar-pro'
  draft.set({ question, model })
  // A search costs, and anybody can write a link to this page.
  const { isDirect, needsKey } = document.body.dataset
  if (sought && isDirect === 'true' && (needsKey !== 'true' || storedKey() !== null)) ask(question, model)
}

function isModel(name: string): name is Model {
  return ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'].includes(name)
}
