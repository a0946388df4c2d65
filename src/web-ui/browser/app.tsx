// The frame of all views.

import { useEffect } from 'preact/hooks'
import { EvidenceCard } from './card.tsx'
import { closeCard } from './card-state.ts'
import { Home } from './home.tsx'
import { KeptAnswer } from './kept-answer.tsx'
import { KeyForm } from './key-form.tsx'
import { Rail, TopBar } from './menu.tsx'
import { type Route, route } from './route.ts'
import { useStore } from './store.ts'
import { newQuestion, running, thread } from './thread.ts'
import { ThreadView } from './thread-view.tsx'
import { ClientsView } from './views/clients.tsx'
import { KeptView } from './views/data.tsx'
import { EarlierView } from './views/earlier.tsx'
import { KeysView } from './views/keys.tsx'
import { StateView } from './views/state.tsx'

const titles: Readonly<Record<string, string>> = {
  earlier: 'Earlier',
  state: 'State',
  clients: 'Clients',
  data: 'Data',
  keys: 'Keys',
  job: 'Answer',
  receipt: 'Answer',
}

export function App() {
  const { view, ...rest } = useStore(route)
  const [first] = useStore(thread)
  const { notice } = document.body.dataset
  useKeys()
  useEffect(() => void closeCard(), [view, 'id' in rest ? rest.id : ''])
  const title = view === 'answer' ? (first?.question ?? 'csp') : (titles[view] ?? 'csp')
  return (
    <>
      <div class="app">
        <Rail />
        <div>
          <TopBar title={title} />
          {notice && <p class="banner">{notice}</p>}
          <main id="main" tabIndex={-1}>
            <KeyForm />
            <View shown={{ view, ...rest } as Route} />
          </main>
        </div>
      </div>
      <EvidenceCard />
    </>
  )
}

function View({ shown }: { shown: Route }) {
  if (shown.view === 'receipt' || shown.view === 'job') return <KeptAnswer key={shown.id} {...shown} />
  if (shown.view === 'answer') return <ThreadView />
  if (shown.view === 'earlier') return <EarlierView />
  if (shown.view === 'state') return <StateView />
  if (shown.view === 'clients') return <ClientsView />
  if (shown.view === 'data') return <KeptView />
  if (shown.view === 'keys') return <KeysView />
  return <Home />
}

/** Escape closes a card or stops an answer, N begins a new question, / goes to the box. */
function useKeys(): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        if (!closeCard()) running()?.stop()
        return
      }
      const { target } = event
      const isTyping = target instanceof HTMLElement && target.closest('input, textarea, select, dialog[open]')
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === 'n' || event.key === 'N') newQuestion()
      else if (event.key === '/') document.querySelector<HTMLElement>('main textarea, main input')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
}
