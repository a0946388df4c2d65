import { z } from 'zod'
import type { FormsOf, Site } from './site.ts'
import { type Post, threadPage } from './thread.ts'

/** A file of a repository: scripts make the page around it. The host of its text has no tight limit. */
export const githubFile: FormsOf = (page) => {
  const [, repository, file] = onGithub(page, /^\/([\w-]+\/[\w.-]+)\/(?:blob|raw)\/([^/]+\/.+)$/)
  if (!repository) return []
  return [{ addresses: [`https://raw.githubusercontent.com/${repository}/${file}`], accept: 'text/plain, */*;q=0.5' }]
}

/** An issue or a pull request, with up to 100 comments. Without a key, GitHub answers 60 requests an hour. */
export const githubIssue: Site = {
  forms: (page) => {
    const [, repository, kind, number] = onGithub(page, /^\/([\w-]+\/[\w.-]+)\/(issues|pull)\/(\d{1,10})\/?$/)
    if (!repository) return []
    const api = `https://api.github.com/repos/${repository}`
    const comments = [`${api}/issues/${number}/comments?per_page=100`]
    if (kind === 'pull') comments.push(`${api}/pulls/${number}/comments?per_page=100`)
    return [
      {
        addresses: [`${api}/issues/${number}`, ...comments],
        accept: 'application/vnd.github.html+json',
        isLimited: true,
      },
    ]
  },
  read: ([first, ...others]) => {
    const issue = issueSchema.safeParse(first).data
    const comments = z.array(z.array(commentSchema)).safeParse(others).data
    if (!issue || !comments) return undefined
    const { title, number, state, state_reason: reason, labels, pull_request: request } = issue
    const merged = request?.merged_at ? 'merged' : undefined
    const what = `${request ? 'Pull request' : 'Issue'} #${number}`
    const facts = [
      `${what}: ${[merged ?? state, reason?.replaceAll('_', ' ')].filter(Boolean).join(', ')}`,
      labels.length > 0 ? `Labels: ${labels.map(({ name }) => name).join(', ')}` : undefined,
      issue.comments > (comments[0]?.length ?? 0)
        ? `The first ${comments[0]?.length} of ${issue.comments} comments`
        : undefined,
    ]
    const byTime = comments.flat().toSorted((a, b) => a.created_at.localeCompare(b.created_at, 'en'))
    return threadPage({ title, siteName: 'GitHub', facts, posts: [issue, ...byTime].map(postOf) })
  },
}

const commentSchema = z.object({
  user: z.object({ login: z.string() }).nullish(),
  created_at: z.string(),
  body_html: z.string().nullish(),
  /** The file that a comment in a review is about. */
  path: z.string().optional(),
})

const issueSchema = commentSchema.extend({
  title: z.string(),
  number: z.number(),
  state: z.string(),
  state_reason: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).catch([]),
  comments: z.number().catch(0),
  pull_request: z.object({ merged_at: z.string().nullish() }).optional(),
})

/** GitHub says `ghost` of a user who is gone. */
function postOf({ user, created_at: date, body_html: html, path }: z.infer<typeof commentSchema>): Post {
  return { author: user?.login ?? 'ghost', date, note: path && `on ${path}`, html: html ?? '' }
}

/** The match of a pattern in the path of an address at GitHub; empty for any other address. */
function onGithub({ hostname, pathname }: URL, pattern: RegExp): readonly (string | undefined)[] {
  return /^(?:www\.)?github\.com$/.test(hostname) ? (pattern.exec(pathname) ?? []) : []
}
