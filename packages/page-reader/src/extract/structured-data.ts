import { isObject } from '@csp/lib/json'
import { z } from 'zod'
import { linkedData } from './linked-data.ts'
import type { Document } from './tree/nodes.ts'

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
  const things = thingsIn(linkedData(document))
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

/** The things of the scripts: each is one, a list, or a graph of them, and may have the thing that its page is about in it. */
function thingsIn(values: readonly unknown[]): readonly Thing[] {
  const flat = values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((item) => (isObject(item) && Array.isArray(item['@graph']) ? [item, ...item['@graph']] : [item]))
    .flatMap((item) => (isObject(item) && isObject(item.mainEntity) ? [item.mainEntity, item] : [item]))
    .slice(0, maxThings)
  const known = new Map(
    flat.flatMap((item) => (isObject(item) && typeof item['@id'] === 'string' ? [[item['@id'], item]] : [])),
  )
  // Graphs name their persons by reference.
  const named = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 20).map(named)
      : isObject(value) && !value.name
        ? (known.get(String(value['@id'])) ?? value)
        : value
  return flat.flatMap((item) => {
    const whole = isObject(item) ? { ...item, author: named(item.author), publisher: named(item.publisher) } : item
    return thingSchema.safeParse(whole).data ?? []
  })
}
