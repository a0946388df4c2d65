// What is done for an answer, in human words, with the time of each step.

import { useEffect, useState } from 'preact/hooks'
import type { ExchangeState, Phase } from './exchange.ts'
import { Icon } from './icons.tsx'
import { Tag } from './parts.tsx'
import { count, hostOf } from './words.ts'

/** How many sites are named. */
const maxSites = 3

export function Steps({ state, isReport }: { state: ExchangeState; isReport: boolean }) {
  const { phase, sources, pages, waiting, thoughts, began, evidence } = state
  const isOver = ['done', 'stopped', 'failed'].includes(phase)
  useClock(!isOver)
  const order: readonly Phase[] = ['search', 'read', 'write']
  const at = isOver ? order.length : order.indexOf(phase)
  const ends = [began.read ?? began.write, began.write, began.done ?? began.stopped ?? began.failed]
  const time = (place: number) => {
    const name = order[place]
    const start = name && began[name]
    if (start === undefined) return ''
    return `${(((ends[place] ?? performance.now()) - start) / 1000).toFixed(1)} s`
  }
  const hosts = [...new Set((pages.length > 0 ? pages : sources).map(({ url }) => hostOf(url)))]
  const searched = sources.length > 0 ? `Searched the web: ${count(sources.length, 'result')}` : 'Searched the web'
  return (
    <ol class={phase === 'write' ? 'steps writing' : 'steps'}>
      <Step place={0} at={at} time={time(0)} text={at > 0 ? searched : 'Searching the web'}>
        {at === 0 && waiting && <span class="sub">{waiting}</span>}
      </Step>
      <Step place={1} at={at} time={time(1)} text={at > 1 ? readIn(pages.length) : 'Reading the pages'}>
        {at >= 1 && hosts.length > 0 && (
          <span class="sites">
            {hosts.slice(0, maxSites).map((host) => (
              <Tag key={host} {...(pages.length > 0 && { icon: 'check' as const })}>
                {host}
              </Tag>
            ))}
            {hosts.length > maxSites && <Tag>and {hosts.length - maxSites} more</Tag>}
          </span>
        )}
        {at >= 1 &&
          (isReport ? thoughts.slice(-3) : [waiting]).map(
            (text) =>
              text && (
                <span class="sub" key={text}>
                  {text}
                </span>
              ),
          )}
      </Step>
      <Step place={2} at={at} time={time(2)} text={at > 2 ? 'Wrote the answer' : 'Writing the answer'} />
      <Step
        place={3}
        at={isOver ? 4 : at}
        time=""
        text={
          evidence.length > 0
            ? `Compared ${count(evidence.length, 'sentence')} with its pages`
            : 'Compare each sentence with its pages'
        }
      />
    </ol>
  )
}

function readIn(pages: number): string {
  return pages > 0 ? `Read ${count(pages, 'page')}` : 'Read the pages'
}

interface StepProps {
  readonly place: number
  readonly at: number
  readonly time: string
  readonly text: string
  readonly children?: preact.ComponentChildren
}

function Step({ place, at, time, text, children }: StepProps) {
  const state = place < at ? '' : place === at ? 'now' : 'later'
  return (
    <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span class="mark">
        <Icon
          name={state === 'now' ? 'arc' : state === 'later' ? 'circle' : 'done'}
          class={state === 'now' ? 'spin' : ''}
        />
      </span>
      {state === 'later' ? <span>{text}</span> : <b>{text}</b>}
      <span class="num">{state === 'later' ? '' : time}</span>
      {children}
    </li>
  )
}

/** Draws its component anew every half second, while something lasts. */
function useClock(isOn: boolean): void {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => tick((count) => count + 1), 500)
    return () => clearInterval(timer)
  }, [isOn])
}
