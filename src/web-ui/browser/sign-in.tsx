// The login of Claude: csp starts it in the CLI, a person opens its link and brings the code. No token passes here.

import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError, call, failureOf, messageOf, stream } from './api.ts'
import { Icon } from './icons.tsx'
import { Button, Said } from './parts.tsx'
import { refresh, server } from './server.ts'
import { createStore, useStore } from './store.ts'

type Event =
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'done' }

interface State {
  readonly step: 'start' | 'waiting' | 'code' | 'done'
  readonly id: string
  readonly link: string
  readonly note: string
  readonly isProblem: boolean
}

const atFirst: State = { step: 'start', id: '', link: '', note: '', isProblem: false }

/** One login at a time, whichever view shows it. */
const login = createStore<State>(atFirst)
let running: AbortController | undefined

function change(part: Partial<State>): void {
  login.set({ ...login.get(), ...part })
}

async function begin(): Promise<void> {
  running?.abort()
  const controller = new AbortController()
  running = controller
  login.set({ ...atFirst, step: 'waiting', note: 'Starting the CLI…' })
  try {
    for await (const event of stream<Event>('sign-in', {}, controller.signal)) {
      if (event.type === 'started') change({ id: event.id })
      if (event.type === 'link') change({ step: 'code', link: event.url, note: '' })
      if (event.type === 'note') change({ note: event.text, isProblem: false })
      if (event.type === 'failed') throw new CallError(0, event.message)
      if (event.type === 'done') break
    }
    if (running === controller) login.set({ ...atFirst, step: 'done', note: 'Signed in. Searches work from now on.' })
  } catch (error) {
    if (running !== controller) return
    const isCancelled = controller.signal.aborted
    login.set({ ...atFirst, note: isCancelled ? 'Cancelled.' : messageOf(error), isProblem: !isCancelled })
  } finally {
    if (running === controller) {
      running = undefined
      void refresh(true)
    }
  }
}

async function enter(code: string): Promise<void> {
  change({ note: 'Claude checks the code…', isProblem: false })
  try {
    const body = JSON.stringify({ id: login.get().id, code })
    const reply = await call('sign-in/code', { method: 'POST', body })
    if (!reply.ok) change({ note: (await failureOf(reply)).message, isProblem: true })
  } catch (error) {
    change({ note: messageOf(error), isProblem: true })
  }
}

/** Where Claude is signed out. csp may not be able to sign it in: then it says what to type. */
export function SignIn({ message }: { message?: string }) {
  const { step, link, note, isProblem } = useStore(login)
  const { health } = useStore(server)
  const [usesToken, setUsesToken] = useState(false)
  const [code, setCode] = useState('')
  const opened = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (step === 'code') opened.current?.focus()
  }, [step])
  const canSignIn = health?.rows?.some(({ action }) => action === 'sign-in') || step !== 'start'
  const isCode = step === 'code'
  return (
    <section class={isCode ? 'notice quiet' : 'notice bad'} id="sign-in" aria-label="Sign in to Claude">
      <Icon name="signIn" />
      <h2>{isCode ? 'Paste the code from Claude' : 'Sign in to Claude to search'}</h2>
      {isCode ? (
        <p>
          1.{' '}
          <a ref={opened} href={link} target="_blank" rel="noopener noreferrer">
            Open Claude’s sign-in page
          </a>{' '}
          on any device and allow access.
          <br />
          2. Paste the code that it shows.
        </p>
      ) : (
        <p>
          {message ? <Said text={message} /> : 'The Claude Code CLI on this computer has no login.'}{' '}
          {canSignIn &&
            'csp opens its sign-in page, you allow access, and paste the code here. The login stays with the CLI.'}
        </p>
      )}
      {isCode && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault()
            void enter(code.trim())
            setCode('')
          }}
        >
          <label class="vh" for="code">
            Code
          </label>
          <input
            id="code"
            class="field"
            placeholder="Code"
            autocomplete="off"
            spellcheck={false}
            maxLength={4096}
            required
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <Button kind="main" type="submit">
            Finish
          </Button>
          <Button kind="ghost" onClick={() => running?.abort()}>
            Cancel
          </Button>
        </form>
      )}
      <p class={isProblem ? 'problem' : ''} role="status">
        {note}
      </p>
      {!isCode && (
        <div class="line">
          {canSignIn &&
            (step === 'waiting' ? (
              <Button onClick={() => running?.abort()}>Cancel</Button>
            ) : (
              <Button kind="main" onClick={() => void begin()}>
                Sign in
              </Button>
            ))}
          <Button aria-expanded={usesToken} onClick={() => setUsesToken(!usesToken)}>
            I use a token
          </Button>
        </div>
      )}
      {(usesToken || !canSignIn) && !isCode && (
        <p>
          In a terminal of that computer: <code>csp login</code>. Where no login can be kept, make a token on another
          computer with <code>csp login --token</code>, and start csp with it as <code>CLAUDE_CODE_OAUTH_TOKEN</code>.
        </p>
      )}
    </section>
  )
}
