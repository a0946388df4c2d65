// The boxes to ask in: the one of the home view, with its effort, and the one below an answer.

import { useEffect, useRef, useState } from 'preact/hooks'
import { efforts, type Model } from './exchange.ts'
import { Button } from './parts.tsx'
import { useStore } from './store.ts'
import { ask, draft } from './thread.ts'

const maxQuestion = 2000

/** Enter asks, Shift and Enter begins a line. While letters are composed, Enter ends that. */
function asksAt(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing
}

/** As high as its text. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}

export function Ask() {
  const { question, model } = useStore(draft)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => grow(field.current), [question])
  const submit = () => {
    if (question.trim()) ask(question.trim(), model)
  }
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <label class="vh" for="question">
        Question
      </label>
      <textarea
        id="question"
        class="q"
        ref={field}
        rows={1}
        placeholder="What do you want to know?"
        autocomplete="off"
        enterkeyhint="search"
        maxLength={maxQuestion}
        required
        value={question}
        onInput={({ currentTarget }) => draft.set({ question: currentTarget.value, model })}
        onKeyDown={(event) => {
          if (!asksAt(event)) return
          event.preventDefault()
          submit()
        }}
      />
      <div class="line">
        <Effort model={model} onChange={(chosen) => draft.set({ question, model: chosen })} />
        <Button kind="main" icon="up" type="submit" class="round send" aria-label="Ask" />
      </div>
    </form>
  )
}

function Effort({ model, onChange }: { model: Model; onChange: (model: Model) => void }) {
  return (
    <fieldset class="seg">
      <legend class="vh">Effort</legend>
      {efforts.map(([name, label]) => (
        <label key={name} class={name === model ? 'on' : ''}>
          <input
            class="vh"
            type="radio"
            name="effort"
            value={name}
            checked={name === model}
            onChange={() => onChange(name)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

interface FollowUpProps {
  readonly placeholder: string
  readonly onAsk: (question: string) => void
  /** Something is being written: it can be stopped. */
  readonly onStop?: (() => void) | undefined
}

/** A follow-up is answered as a deep question, and says so. */
export function FollowUp({ placeholder, onAsk, onStop }: FollowUpProps) {
  const [question, setQuestion] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => grow(field.current), [question])
  const submit = () => {
    if (!question.trim()) return
    onAsk(question.trim())
    setQuestion('')
  }
  return (
    <div class="dock">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label class="vh" for="follow-up">
          Follow-up
        </label>
        <textarea
          id="follow-up"
          class="q"
          ref={field}
          rows={1}
          placeholder={onStop ? 'Writing… Esc stops' : placeholder}
          autocomplete="off"
          enterkeyhint="search"
          maxLength={maxQuestion}
          value={question}
          onInput={({ currentTarget }) => setQuestion(currentTarget.value)}
          onKeyDown={(event) => {
            if (!asksAt(event)) return
            event.preventDefault()
            submit()
          }}
        />
        {onStop ? (
          <Button icon="stop" class="stop" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <>
            <span class="tag no-phone">Deep</span>
            <Button kind="main" icon="up" type="submit" class="round" aria-label="Ask" />
          </>
        )}
      </form>
    </div>
  )
}
