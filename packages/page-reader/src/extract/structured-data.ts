import { parseJson } from '@csp/lib/json'
import { z } from 'zod'

/** The metadata that JSON-LD gives of its page. */
export interface StructuredData {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly author?: string | undefined
  readonly siteName?: string | undefined
  readonly published?: string | undefined
  readonly modified?: string | undefined
  readonly language?: string | undefined
  readonly image?: string | undefined
}

/** Reads the first article among the JSON-LD of a page; without one, the first thing that has a date. */
export function structuredData(document: Document): StructuredData {
  const things = [...document.querySelectorAll('script[type="application/ld+json"]')]
    .slice(0, maxScripts)
    .flatMap((script) => thingsIn(parseJson(script.textContent ?? '')))
  const thing = things.find(({ '@type': types }) => types.some((type) => articles.test(type)))
  const { headline, description, author, publisher, datePublished, dateModified, inLanguage, image } =
    thing ?? things.find((other) => other.datePublished) ?? {}
  return {
    title: headline,
    description,
    author: author?.join(', ') || undefined,
    siteName: publisher?.[0],
    published: datePublished,
    modified: dateModified,
    language: inLanguage,
    image: image?.[0],
  }
}

const maxScripts = 20
const maxThings = 200
const articles = /Article$|Posting$|^Report$|^Review$|^Recipe$|^QAPage$|^VideoObject$|^Book$|^Dataset$/

const text = z.string().optional().catch(undefined)
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item)).catch([])
/** A name alone, or a thing that has one. */
const name = z.union([z.string(), z.object({ name: z.string() }).transform((thing) => thing.name)]).catch('')
const address = z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).catch('')
const nonEmpty = (items: readonly string[]) => items.filter(Boolean).slice(0, 10)

const thingSchema = z.object({
  '@type': list(z.string()),
  headline: text,
  description: text,
  author: list(name).transform(nonEmpty).optional(),
  publisher: list(name).transform(nonEmpty).optional(),
  datePublished: text,
  dateModified: text,
  inLanguage: text,
  image: list(address).transform(nonEmpty).optional(),
})
type Thing = z.infer<typeof thingSchema>

/** The things of a script: one, a list, or a graph of them. */
function thingsIn(value: unknown): readonly Thing[] {
  const items = Array.isArray(value) ? value : [value]
  const flat = items.flatMap((item) => {
    const graph: unknown = typeof item === 'object' && item !== null && '@graph' in item ? item['@graph'] : undefined
    return Array.isArray(graph) ? [item, ...graph] : [item]
  })
  return flat.slice(0, maxThings).flatMap((item) => thingSchema.safeParse(item).data ?? [])
}
