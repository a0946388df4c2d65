// Asks for a key where one is required.

import { useEffect, useRef, useState } from 'preact/hooks'
import { isKey, storedKey } from './api.ts'
import { Button } from './parts.tsx'
import { keepKey, server, stopChangingKey, takeKey } from './server.ts'
import { useStore } from './store.ts'

export function KeyForm() {
  const { wantsKey } = useStore(server)
  const [key, setKey] = useState('')
  const [isRemembered, setRemembered] = useState(false)
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const wasAsked = useRef(false)
  useEffect(() => {
    if (wantsKey) field.current?.focus()
    else {
      setKey('')
      // The focus would be lost with the form.
      if (wasAsked.current) document.querySelector<HTMLElement>('main textarea')?.focus()
    }
    wasAsked.current = wantsKey !== undefined
  }, [wantsKey !== undefined])
  if (!wantsKey) return null
  const wrong = problem || wantsKey.problem
  return (
    <form
      class="key-form card pad"
      onSubmit={(event) => {
        event.preventDefault()
        const typed = key.trim()
        setProblem(isKey(typed) ? '' : 'This key is wrong: a key has no spaces and no letters beyond ASCII.')
        if (isKey(typed)) takeKey(typed, isRemembered)
      }}
    >
      <label for="key">This csp requires a key</label>
      <div class="line">
        <input
          id="key"
          class="field"
          type="password"
          ref={field}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="key-note"
          required
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <Button kind="main" type="submit">
          Use this key
        </Button>
        {storedKey() !== null && (
          <Button
            kind="ghost"
            onClick={() => {
              stopChangingKey()
              keepKey()
            }}
          >
            Cancel
          </Button>
        )}
      </div>
      <p id="key-note" class={wrong ? 'problem' : 'soft'} role="status">
        {wrong ? `${wrong} Look at it again, or make another with ` : 'It stays in this tab until you close it. '}
        <code>csp keys add NAME</code>
        {wrong ? '.' : ' makes one.'}
      </p>
      <label class="choice">
        <input
          type="checkbox"
          checked={isRemembered}
          onChange={({ currentTarget }) => setRemembered(currentTarget.checked)}
        />{' '}
        Remember on this device
      </label>
    </form>
  )
}
