import { type Block, blocksOf, htmlOf, type Sentence, sentencesIn } from './blocks.ts'
import { type LibraryPage, type Subject, sites } from './page.ts'
import { apollo11 } from './subjects/apollo-11.ts'
import { espresso } from './subjects/espresso.ts'
import { heatPumps } from './subjects/heat-pumps.ts'
import { honeyBees } from './subjects/honey-bees.ts'
import { httpCaching } from './subjects/http-caching.ts'
import { solarPanels } from './subjects/solar-panels.ts'
import { sourdough } from './subjects/sourdough.ts'
import { sqlite } from './subjects/sqlite.ts'
import { timeZones } from './subjects/time-zones.ts'
import { turingTest } from './subjects/turing-test.ts'

/** A page as a search finds it. */
export interface KnownPage {
  readonly url: string
  /** With the name of its site, which says that it is the sandbox's. */
  readonly title: string
  readonly heading: string
  readonly publishedAt: string
  readonly blocks: readonly Block[]
  readonly sentences: readonly Sentence[]
}

/** A subject with its pages. */
export interface KnownSubject {
  readonly name: string
  readonly about: string
  readonly pages: readonly KnownPage[]
}

/** What the sandbox knows. */
export const subjects: readonly KnownSubject[] = [
  ...[httpCaching, sqlite, espresso, apollo11, honeyBees],
  ...[solarPanels, sourdough, timeZones, turingTest, heatPumps],
].map((subject: Subject) => ({ ...subject, pages: subject.pages.map(known) }))

const pages = subjects.flatMap((subject) => subject.pages)

/** The page that names all subjects. A search finds it where no other page bears on the question. */
export const catalogue = known({
  site: 'library.csp.example',
  path: '/',
  title: 'What the sandbox knows',
  publishedAt: '2026-11-24',
  text: `The sandbox of csp searches nothing on the web: it has ${pages.length} pages of its own, about ${listed(subjects.map(({ name }) => name))}.

What these pages say is true. Ask about one of these subjects, or sign in to Claude to search the web.`,
})

const byUrl = new Map([...pages, catalogue].map((page) => [page.url, page]))

/** The page at an address, if the sandbox has it. */
export function pageAt(url: string): KnownPage | undefined {
  return byUrl.get(url.split('#')[0] ?? url)
}

/** The HTML of a page as its site would send it; `missing` for another address of these sites; `undefined` elsewhere. */
export function libraryPage({ href, hostname }: URL): string | undefined {
  if (!Object.hasOwn(sites, hostname)) return undefined
  const page = pageAt(href)
  if (!page) return 'missing'
  const { title, heading, publishedAt, blocks } = page
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta property="article:published_time" content="${publishedAt}"></head>
<body><article><h1>${heading}</h1>
${blocks.map(htmlOf).join('\n')}
</article>
<footer>${publishedAt}. A page of the sandbox of claude-search-proxy: it is not on the web.</footer>
</body></html>
`
}

function known({ site, path, title, publishedAt, text }: LibraryPage): KnownPage {
  const blocks = blocksOf(text)
  return {
    url: `https://${site}${path}`,
    title: `${title} | ${sites[site]}`,
    heading: title,
    publishedAt,
    blocks,
    sentences: sentencesIn(blocks),
  }
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
