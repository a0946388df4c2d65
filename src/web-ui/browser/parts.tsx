// What all views are made of.

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'
import { isWebAddress } from './words.ts'

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon' | 'size' | 'kind' | 'class'> {
  readonly kind?: 'main' | 'ghost' | 'bad' | undefined
  readonly size?: 'sm' | undefined
  readonly icon?: IconName | undefined
  readonly class?: string | undefined
}

export function Button({ kind, size, icon, children, class: more, ...rest }: ButtonProps) {
  const name = ['btn', kind, size, more].filter(Boolean).join(' ')
  return (
    <button type="button" class={name} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function Tag({
  kind,
  icon,
  children,
}: {
  kind?: Kind | undefined
  icon?: IconName
  children: ComponentChildren
}) {
  return (
    <span class={`tag ${kind ?? ''}`.trim()}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}

/** How something is; never said by its colour alone. */
export type Kind = 'good' | 'look' | 'bad'

interface NoticeProps {
  readonly kind?: 'bad' | 'look' | 'quiet'
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  /** The likeliest first. */
  readonly buttons?: ComponentChildren
}

/** One state, in one sentence with its cure. */
export function Notice({ kind = 'bad', icon, title, children, buttons }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'quiet' ? 'status' : 'alert'}>
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {buttons && <div class="line">{buttons}</div>}
    </div>
  )
}

interface GaugeProps {
  readonly label: string
  /** 0 to 1. */
  readonly used: number
  /** 0 to 1: kept for the owner of the plan. */
  readonly kept?: number | undefined
  readonly value?: string
  readonly children?: ComponentChildren
}

/** A limit as a bar. */
export function Gauge({ label, used, kept = 0, value = `${Math.round(used * 100)}%`, children }: GaugeProps) {
  return (
    <div class="gauge card pad">
      <div class="h">
        <span>{label}</span>
        <span class="v">{value}</span>
      </div>
      <Bar used={used} kept={kept} />
      {children && <p class="soft tiny">{children}</p>}
    </div>
  )
}

export function Bar({ used, kept = 0 }: { used: number; kept?: number }) {
  const width = `${Math.min(100, Math.max(0, used * 100))}%`
  return (
    <div class="bar" aria-hidden="true">
      <i class={used >= 0.8 ? 'fill-look' : 'fillc'} style={{ width }} />
      {kept > 0 && <i class="keep" style={{ width: `${kept * 100}%` }} />}
    </div>
  )
}

/** The head of a view. */
export function PageHead({
  title,
  children,
  end,
}: {
  title: string
  children?: ComponentChildren
  end?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {end && <div class="end">{end}</div>}
    </div>
  )
}

/** A link to a page of the web; its text alone where the address is none. */
export function WebLink({ url, class: name, children }: { url: string; class?: string; children: ComponentChildren }) {
  if (!isWebAddress(url)) return <span class={name}>{children}</span>
  return (
    <a class={name} href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** A text in which `…` is code, and a time in ISO 8601 is shown in the zone of the reader. */
export function Said({ text }: { text: string }) {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((part, index) =>
          index % 2 ? (
            <code key={index}>{part}</code>
          ) : (
            part.replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]{8,12}Z/g, (then) => new Date(then).toLocaleString())
          ),
        )}
    </>
  )
}

/** Copies a text, and says so for a while. */
export function CopyButton({ text, label = 'Copy', ...rest }: { text: () => string; label?: string } & ButtonProps) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    setSaid((await copyText(text())) ? 'Copied' : 'This browser does not allow copying')
    setTimeout(() => setSaid(''), 2000)
  }
  return (
    <Button icon={said === 'Copied' ? 'check' : 'copy'} {...rest} onClick={copy}>
      <span aria-live="polite">{said || label}</span>
    </Button>
  )
}

/** At an address of plain http beyond this machine there is no `navigator.clipboard`; the older way works there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const shown = document.createElement('pre')
    shown.className = 'vh'
    shown.textContent = text
    document.body.append(shown)
    getSelection()?.selectAllChildren(shown)
    const isCopied = document.execCommand('copy')
    shown.remove()
    return isCopied
  }
}
