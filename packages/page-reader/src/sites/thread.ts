import { escapeUTF8 } from 'entities'
import type { SitePage } from './site.ts'

/** A discussion: what begins it, and what was said to that. */
export interface Thread {
  readonly title: string
  readonly siteName: string
  /** What is known of it as a whole, a line each. */
  readonly facts?: readonly (string | undefined)[] | undefined
  /** The first one begins it. */
  readonly posts: readonly Post[]
}

export interface Post {
  readonly author: string | undefined
  /** In ISO 8601, or in seconds since 1970. */
  readonly date: string | number | undefined
  /** To whom or to what it replies, whether it was accepted. */
  readonly note?: string | undefined
  readonly html: string
}

/** A thread as the page that a forum would show: each post below its author and date. */
export function threadPage({ title, siteName, facts = [], posts }: Thread): SitePage {
  const lines = facts.filter((fact) => fact !== undefined).map((fact) => `<p>${escapeUTF8(fact)}</p>`)
  const written = posts.map(({ author, date, note, html }) => {
    const head = [author ?? 'somebody', dayOf(date), note].filter(Boolean).join(', ')
    return `<section><h2>${escapeUTF8(head)}</h2>\n<div>${html}</div></section>`
  })
  const [first] = posts
  return {
    html: `<h1>${escapeUTF8(title)}</h1>\n${[...lines, ...written].join('\n')}`,
    title,
    siteName,
    author: first?.author,
    publishedAt: dayOf(first?.date),
    kind: 'forum',
  }
}

/** As `YYYY-MM-DD`. */
export function dayOf(date: string | number | undefined): string | undefined {
  const time = new Date(typeof date === 'number' ? date * 1000 : (date ?? Number.NaN))
  return Number.isNaN(time.getTime()) ? undefined : /^\d{4}-\d\d-\d\d/.exec(time.toISOString())?.[0]
}
