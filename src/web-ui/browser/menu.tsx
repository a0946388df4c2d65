// The menu: beside the text, or in a drawer on a telephone, below its bar.

import { useEffect, useRef, useState } from 'preact/hooks'
import { ownAddress } from './api.ts'
import { Icon, type IconName, Logo } from './icons.tsx'
import { type Kind, Tag } from './parts.tsx'
import { recent } from './recent.ts'
import { type Route, route } from './route.ts'
import { type Server, server, startChangingKey } from './server.ts'
import { useStore } from './store.ts'

const items = [
  ['earlier', 'Earlier', 'history'],
  ['state', 'State', 'activity'],
  ['clients', 'Clients', 'plug'],
  ['data', 'Data', 'database'],
  ['keys', 'Keys', 'key'],
] as const satisfies readonly (readonly [Route['view'], string, IconName])[]

/** How csp is, in one or two words. */
export function verdictOf({ health, goneSince }: Server): readonly [Kind, string] | undefined {
  if (goneSince) return ['bad', 'No answer']
  if (!health) return undefined
  const { status, searches, rows = [] } = health
  if (searches?.status === 'limited') return ['look', 'No new searches']
  if (searches?.status === 'signed-out') return ['bad', 'Signed out']
  if (status === 'down') return ['bad', 'Down']
  if (status === 'degraded') return ['look', 'Degraded']
  const bad = rows.slice(1).filter(({ level }) => level === 'bad')
  if (bad.some(({ used = 0 }) => used >= 1)) return ['look', 'Limit reached']
  return bad.length > 0 ? ['look', 'Look'] : ['good', 'Works']
}

function Links() {
  const { view } = useStore(route)
  const verdict = verdictOf(useStore(server))
  const current = view === 'receipt' || view === 'job' ? 'earlier' : view
  return (
    <>
      <a class="brand" href="#new">
        <Logo />
        csp
      </a>
      <a class="btn new" href="#new" aria-current={view === 'home' ? 'page' : undefined}>
        <Icon name="plus" />
        New question<kbd class="end">N</kbd>
      </a>
      <nav class="nav" aria-label="Views">
        {items.map(([name, label, icon]) => (
          <a key={name} href={`#${name}`} aria-current={current === name ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
            {name === 'state' && verdict && (
              <span class="k">
                <Tag kind={verdict[0]}>{verdict[1]}</Tag>
              </span>
            )}
          </a>
        ))}
        <a href="openapi.json">
          <Icon name="book" />
          API
        </a>
      </nav>
      <Recent />
      <Foot />
    </>
  )
}

function Recent() {
  const { view, ...rest } = useStore(route)
  const questions = useStore(recent).slice(0, 5)
  if (view === 'home' || questions.length === 0) return null
  const shown = 'id' in rest ? rest.id : undefined
  return (
    <div class="recent">
      <h2>Recent</h2>
      {questions.map(({ id, question }) => (
        <a key={id} href={`#receipt=${id}`} aria-current={id === shown ? 'page' : undefined}>
          {question}
        </a>
      ))}
    </div>
  )
}

function Foot() {
  const { health, wantsKey } = useStore(server)
  return (
    <div class="foot">
      <span>{ownAddress().replace(/^https?:\/\//, '')}</span>
      {health?.version && <span>Version {health.version}</span>}
      {health?.rows && !wantsKey && hasKey() && (
        <button type="button" class="plain" onClick={startChangingKey}>
          Change key
        </button>
      )}
    </div>
  )
}

function hasKey(): boolean {
  return sessionStorage.getItem('csp-key') !== null || localStorage.getItem('csp-key') !== null
}

function skip(): void {
  document.querySelector<HTMLElement>('main textarea, main a, main button')?.focus()
}

export function Rail() {
  return (
    <aside class="rail" aria-label="Menu">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Links />
    </aside>
  )
}

/** The bar of a telephone, and the drawer that its button opens. */
export function TopBar({ title }: { title: string }) {
  const [isOpen, setOpen] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const verdict = verdictOf(useStore(server))
  const shown = useStore(route)
  useEffect(() => setOpen(false), [shown])
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <>
      <header class="top">
        <button type="button" class="btn ghost" aria-label="Menu" aria-expanded={isOpen} onClick={() => setOpen(true)}>
          <Icon name="menu" />
        </button>
        <span class="title">{title}</span>
        <a class="btn ghost" href="#state" aria-label={`State: ${verdict?.[1] ?? 'asking'}`}>
          <span class={`dot ${verdict ? (verdict[0] === 'good' ? '' : verdict[0]) : 'off'}`} />
        </a>
        <a class="btn ghost" href="#new" aria-label="New question">
          <Icon name="plus" />
        </a>
      </header>
      <dialog class="drawer" ref={dialog} aria-label="Menu" closedby="any" onClose={() => setOpen(false)}>
        {isOpen && <Links />}
      </dialog>
    </>
  )
}
