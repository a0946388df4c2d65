// The questions of this tab with their answers, and the box for a follow-up.

import { useEffect, useRef, useState } from 'preact/hooks'
import { Actions } from './actions.tsx'
import { Answer } from './answer.tsx'
import { FollowUp } from './ask.tsx'
import { type Exchange, effortName, factsOf } from './exchange.ts'
import { Failure, NothingFound, Stopped } from './failure.tsx'
import { Icon } from './icons.tsx'
import { Steps } from './steps.tsx'
import { useStore } from './store.ts'
import { askAgain, followUp, thread } from './thread.ts'
import { checkedInWords } from './verdict.ts'

export function ThreadView() {
  const exchanges = useStore(thread)
  const last = exchanges.at(-1)
  if (!last) return null
  return (
    <>
      {exchanges.map((exchange, place) => (
        <One key={exchange.id} exchange={exchange} isFirst={place === 0} isLast={exchange === last && place > 0} />
      ))}
      <Dock exchange={last} />
    </>
  )
}

function Dock({ exchange }: { exchange: Exchange }) {
  useStore(exchange.store)
  const stop = exchange.isRunning ? () => exchange.stop() : undefined
  return <FollowUp placeholder="Ask a follow-up" onAsk={followUp} onStop={stop} />
}

function One({ exchange, isFirst, isLast }: { exchange: Exchange; isFirst: boolean; isLast: boolean }) {
  const state = useStore(exchange.store)
  const [wish, setWish] = useState<boolean>()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isLast) place.current?.scrollIntoView()
  }, [isLast])
  const { phase, text, sources, evidence, receipt } = state
  const { question, model, isRunning } = exchange
  const isDone = phase === 'done'
  // The steps stay where nothing takes their place: the text would jump.
  const isOpen = wish ?? (isDone && evidence.length === 0)
  const steps = <Steps state={state} isReport={model === 'sonar-deep-research'} />
  const facts = isDone && (
    <>
      {[effortName(model), ...factsOf(state)].map((fact, index) => (
        <>
          {index > 0 && <span class="sep" />}
          <span key={fact}>{fact}</span>
        </>
      ))}
      <button type="button" class="btn ghost sm" aria-expanded={isOpen} onClick={() => setWish(!isOpen)}>
        Steps
        <Icon name="down" class={isOpen ? 'turned' : ''} />
      </button>
    </>
  )
  const below = (
    <>
      {phase === 'failed' && <Failure exchange={exchange} error={state.error} />}
      {phase === 'stopped' && <Stopped exchange={exchange} state={state} />}
      {isDone && sources.length === 0 && <NothingFound exchange={exchange} />}
      {isDone && text && (
        <Actions
          question={question}
          text={text}
          sources={sources}
          receipt={receipt}
          onAgain={() => askAgain(exchange, model, true)}
        />
      )}
    </>
  )
  return (
    <div ref={place}>
      <p class="vh" role="status">
        {isDone
          ? `Answered: ${[effortName(model), ...factsOf(state)].join(', ')}. ${checkedInWords(evidence)}`
          : isRunning
            ? 'Searching'
            : ''}
      </p>
      <Answer
        question={question}
        facts={facts}
        text={text}
        isWhole={!isRunning}
        isCut={!isDone}
        sources={sources}
        evidence={evidence}
        readSoFar={phase === 'read' && state.pages.length > 0 ? state.pages : undefined}
        above={isRunning || isOpen ? steps : undefined}
        below={below}
        level={isFirst ? 1 : 2}
      />
    </div>
  )
}
