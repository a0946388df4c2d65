import { plainLine } from '@csp/lib/text'
import { z } from 'zod'
import type { Site, SitePage } from './site.ts'
import { dayOf } from './thread.ts'

/**
 * A package, whose page is closed to programs: what the registry has of all of its versions, with its README; if that
 * is too much, what it has of one version.
 */
export const npm: Site = {
  forms: ({ hostname, pathname }) => {
    const [, scope, name, version = 'latest'] = onNpm(hostname) ? (path.exec(pathname) ?? []) : []
    if (!name) return []
    const address = `https://registry.npmjs.org/${scope ? `${scope}%2f` : ''}${name}`
    return [address, `${address}/${version}`].map((each) => ({ addresses: [each], accept: 'application/json' }))
  },
  read: ([part], { pathname }) => {
    const all = packageSchema.safeParse(part).data
    const wanted = path.exec(pathname)?.[3] ?? all?.['dist-tags'].latest ?? ''
    const version = versionSchema.safeParse(all ? all.versions[wanted] : part).data
    return version && pageOf(version, all?.time[wanted], all?.readme)
  },
}

const path = /^\/package\/(?:(@[\w.~-]+)(?:\/|%2f))?([\w.~-]+)(?:\/v\/([\w.+-]+))?\/?$/i

function onNpm(hostname: string): boolean {
  return /^(?:www\.)?npmjs\.com$/.test(hostname)
}

const packageSchema = z.object({
  'dist-tags': z.object({ latest: z.string() }),
  versions: z.record(z.string(), z.unknown()),
  time: z.record(z.string(), z.string()).catch({}),
  readme: z.string().optional().catch(undefined),
})

const text = z.string().optional().catch(undefined)
const versionSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: text,
  license: text,
  homepage: text,
  deprecated: text,
  repository: z
    .union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)])
    .optional()
    .catch(undefined),
  author: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .optional()
    .catch(undefined),
  dependencies: z.record(z.string(), z.string()).catch({}),
})

function pageOf(version: z.infer<typeof versionSchema>, time: string | undefined, readme = ''): SitePage {
  const { name, dependencies, deprecated, author } = version
  const publishedAt = dayOf(time)
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Version', [version.version, publishedAt].filter(Boolean).join(', ')],
    ['Deprecated', deprecated],
    ['License', version.license],
    ['Repository', version.repository?.replace(/^git\+(?=https:)/, '').replace(/\.git$/, '')],
    ['Homepage', version.homepage],
    [
      'Dependencies',
      Object.entries(dependencies)
        .map((entry) => entry.join(' '))
        .join(', '),
    ],
  ]
  const lines = facts.filter(([, fact]) => fact).map(([label, fact]) => `- ${label}: ${plainLine(fact ?? '')}`)
  const head = [`# ${plainLine(name)}`, plainLine(version.description ?? ''), lines.join('\n')].filter(Boolean)
  return {
    markdown: [...head, withoutComments(readme)].join('\n\n'),
    title: name,
    siteName: 'npm',
    author,
    publishedAt,
    kind: 'documentation',
  }
}

/** Markdown without the comments of HTML, which its page does not show; code keeps them. */
function withoutComments(markdown: string): string {
  let [inCode, inComment] = [false, false]
  const lines = markdown.split('\n').map((line) => {
    if (!inComment && /^ {0,3}(?:```|~~~)/.test(line)) inCode = !inCode
    if (inCode) return line
    let [shown, from] = ['', 0]
    while (from < line.length) {
      const mark = inComment ? '-->' : '<!--'
      const at = line.indexOf(mark, from)
      const end = at < 0 ? line.length : at
      const next = at < 0 ? line.length : at + mark.length
      const isCode = !inComment && line[at - 1] === '`'
      if (!inComment) shown += line.slice(from, isCode ? next : end)
      if (at >= 0 && !isCode) inComment = !inComment
      from = next
    }
    return shown
  })
  return lines.join('\n')
}
