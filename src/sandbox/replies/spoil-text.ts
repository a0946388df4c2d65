import type { Scenario } from '../scenario.ts'
import { markdownLink } from './markdown-link.ts'

/** What a careless model adds to its text in some scenarios; nothing in the others. */
export function spoilText(
  sources: readonly { readonly title: string; readonly url: string }[],
  scenario: Scenario,
): readonly string[] {
  switch (scenario) {
    case 'invented-url':
      return [`\n\nSee also [a page that nobody found](${inventedUrls[0]}) and ${inventedUrls[1]} for more.`]
    case 'trailing-sources':
      return [`\n\nSources:\n${sources.map((source) => `- ${markdownLink(source)}\n`).join('')}`]
    default:
      return []
  }
}

/** The URLs that `invented-url` names; no search finds them. */
export const inventedUrls = ['https://invented.example/nowhere', 'https://unfound.example/bare'] as const
