import { escapeUTF8 } from 'entities'
import { z } from 'zod'
import type { Site } from './site.ts'
import { type Post, threadPage } from './thread.ts'

/** A story, or a comment, with all that was said to it: tables in tables on its page, a tree at Algolia's API of the site. */
export const hackerNews: Site = {
  forms: ({ hostname, pathname, searchParams }) => {
    const id = searchParams.get('id') ?? ''
    if (hostname !== 'news.ycombinator.com' || pathname !== '/item' || !/^\d{1,10}$/.test(id)) return []
    return [{ addresses: [`https://hn.algolia.com/api/v1/items/${id}`], accept: 'application/json' }]
  },
  read: ([part]) => {
    const item = itemSchema.safeParse(part).data
    if (!item) return undefined
    const { title, url, points, author } = item
    const link = url ? `<p><a href="${escapeUTF8(url)}">${escapeUTF8(url)}</a></p>` : ''
    const first = { ...postOf(item), html: `${link}${item.text ?? ''}` }
    return threadPage({
      title: title ?? `Comment by ${author ?? 'somebody'}`,
      siteName: 'Hacker News',
      facts: [typeof points === 'number' ? `${points} points` : undefined],
      posts: [first, ...repliesTo(item)],
    })
  },
}

const itemSchema = z.object({
  title: z.string().nullish(),
  url: z.string().nullish(),
  text: z.string().nullish(),
  author: z.string().nullish(),
  created_at: z.string(),
  points: z.number().nullish(),
  /** Each is read on its own, since a tree may be deep. */
  children: z.array(z.unknown()).catch([]),
})
type Item = z.infer<typeof itemSchema>

/** In the order of the page: each comment before its replies. */
function repliesTo(story: Item): readonly Post[] {
  const posts: Post[] = []
  const left = story.children.map((child) => ({ child, to: undefined as string | undefined })).reverse()
  for (let next = left.pop(); next; next = left.pop()) {
    const item = itemSchema.safeParse(next.child).data
    if (!item) continue
    // One that was deleted has neither, and may have replies.
    const { author, text } = item
    if (text) posts.push({ ...postOf(item), note: next.to && `to ${next.to}` })
    for (const child of item.children.toReversed()) left.push({ child, to: author ?? 'somebody' })
  }
  return posts
}

function postOf({ author, created_at: date, text }: Item): Post {
  return { author: author ?? undefined, date, html: text ?? '' }
}
