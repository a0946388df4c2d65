import { parseUrl } from '@csp/lib/url'
import { githubFile, githubIssue } from './github.ts'
import { hackerNews } from './hacker-news.ts'
import { npm } from './npm.ts'
import type { Site, SiteForm } from './site.ts'
import { stackExchange } from './stack-exchange.ts'

export const sites = {
  'github-issue': githubIssue,
  'hacker-news': hackerNews,
  npm,
  'stack-exchange': stackExchange,
} as const satisfies Readonly<Record<string, Site>>

export type SiteName = keyof typeof sites
const names = Object.keys(sites) as readonly SiteName[]

/** A form of a page, and whose it is. */
export interface NamedForm extends SiteForm {
  /** Absent: what its only address sends is read like the body of any page. */
  readonly site?: SiteName | undefined
}

/** The forms that may be fetched in place of a page, the best first. */
export function siteForms(address: string): readonly NamedForm[] {
  const page = parseUrl(address)
  if (!page || !/^https?:$/.test(page.protocol) || page.port || page.username || page.password) return []
  return [...githubFile(page), ...names.flatMap((site) => sites[site].forms(page).map((form) => ({ ...form, site })))]
}
