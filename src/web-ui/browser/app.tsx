// The frame of all views.

import { Rail, TopBar } from './menu.tsx'
import { route } from './route.ts'
import { useStore } from './store.ts'
import { ClientsView } from './views/clients.tsx'
import { KeptView } from './views/data.tsx'
import { EarlierView } from './views/earlier.tsx'
import { KeysView } from './views/keys.tsx'
import { StateView } from './views/state.tsx'

const titles = { earlier: 'Earlier', state: 'State', clients: 'Clients', data: 'Data', keys: 'Keys' } as const

export function App() {
  const { view } = useStore(route)
  return (
    <div class="app">
      <Rail />
      <div>
        <TopBar title={view in titles ? titles[view as keyof typeof titles] : 'csp'} />
        <main>
          <View />
        </main>
      </div>
    </div>
  )
}

function View() {
  const { view } = useStore(route)
  if (view === 'earlier') return <EarlierView />
  if (view === 'state') return <StateView />
  if (view === 'clients') return <ClientsView />
  if (view === 'data') return <KeptView />
  if (view === 'keys') return <KeysView />
  return <div class="home" />
}
