import { decodeHTML } from 'entities'
import { z } from 'zod'
import type { Site } from './site.ts'
import { type Post, threadPage } from './thread.ts'

/** A question with its answers; its page is closed to most programs. Without a key, an address has 300 requests a day. */
export const stackExchange: Site = {
  forms: ({ hostname, pathname }) => {
    const id = /^\/(?:questions|q)\/(\d{1,10})(?:\/|$)/.exec(pathname)?.[1]
    if (!id || !hosts.test(hostname)) return []
    const api = `https://api.stackexchange.com/2.3/questions/${id}`
    const which = `site=${hostname.replace(/^www\./, '')}&filter=withbody`
    return [
      {
        addresses: [`${api}?${which}`, `${api}/answers?${which}&order=desc&sort=votes&pagesize=30`],
        accept: 'application/json',
        isLimited: true,
      },
    ]
  },
  read: (parts) => {
    const [questions, answers] = z.array(wrapperSchema).safeParse(parts).data ?? []
    const [question] = questions?.items ?? []
    if (!question?.title || !answers) return undefined
    const facts = question.tags && `Tags: ${question.tags.join(', ')}`
    const posts = [postOf(question), ...answers.items.map(postOf)]
    return threadPage({ title: decodeHTML(question.title), siteName: 'Stack Exchange', facts: [facts], posts })
  },
}

const hosts =
  /^(?:www\.)?(?:(?:(?:meta|es|ja|pt|ru)\.)?stackoverflow|(?:meta\.)?(?:superuser|serverfault|askubuntu)|stackapps|(?:[a-z]+\.){0,2}stackexchange)\.com$|^(?:meta\.)?mathoverflow\.net$/

const postSchema = z.object({
  title: z.string().optional(),
  body: z.string(),
  owner: z.object({ display_name: z.string() }).partial().optional(),
  creation_date: z.number(),
  score: z.number().optional(),
  is_accepted: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
})
const wrapperSchema = z.object({ items: z.array(postSchema) })

/** Names are written as HTML, like bodies. */
function postOf({ owner, creation_date: date, score, is_accepted, body }: z.infer<typeof postSchema>): Post {
  const name = owner?.display_name
  const note = [score === undefined ? undefined : `score ${score}`, is_accepted ? 'accepted' : undefined]
  return { author: name && decodeHTML(name), date, note: note.filter(Boolean).join(', '), html: body }
}
