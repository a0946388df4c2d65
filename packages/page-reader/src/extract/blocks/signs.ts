import { linkedData } from '../linked-data.ts'
import type { Document, Element } from '../tree/nodes.ts'
import type { KindSigns } from './kind-features.ts'

/** What a document says of its kind, read in queries of one pass each. */
export function signsOf(document: Document, url: string): KindSigns {
  const metas = metasOf(document)
  const meta = (name: string) => metas.get(name) ?? ''
  const { body, documentElement } = document
  const names = [body, documentElement].map(
    (element) =>
      `${[...new Set(element.getAttribute('class')?.split(' '))].join(' ')} ${element.getAttribute('id') ?? ''}`,
  )
  return {
    url: meta('og:url') || url,
    types: typesOf(document),
    openGraph: meta('og:type').toLowerCase(),
    generator: meta('generator'),
    bodyNames: names.join(' ').slice(0, 1000),
    title: (document.querySelector('title')?.textContent ?? '').slice(0, 300),
    description: meta('description') || meta('og:description'),
    hasAuthor: meta('author') !== '' || meta('article:author') !== '',
    hasDate: meta('article:published_time') !== '',
    ...countsOf(body),
  }
}

/** By `property` or `name`; the first of each. */
function metasOf(document: Document): ReadonlyMap<string, string> {
  const metas = new Map<string, string>()
  for (const element of document.querySelectorAll('meta'))
    for (const name of [element.getAttribute('property'), element.getAttribute('name')])
      if (name && !metas.has(name)) metas.set(name, (element.getAttribute('content') ?? '').slice(0, 300))
  return metas
}

function countsOf(body: Element): Pick<KindSigns, 'links' | 'pictures' | 'fields' | 'times'> {
  const counts: Record<string, number> = {}
  for (const { localName } of body.querySelectorAll('a, img, input, textarea, select, time'))
    counts[localName] = (counts[localName] ?? 0) + 1
  const { a = 0, img = 0, input = 0, textarea = 0, select = 0, time = 0 } = counts
  return { links: a, pictures: img, fields: input + textarea + select, times: time }
}

function typesOf(document: Document): readonly string[] {
  const types: string[] = []
  const left: unknown[] = [...linkedData(document)]
  let visited = 0
  for (let value = left.pop(); value !== undefined && visited < maxVisited; value = left.pop()) {
    visited++
    if (Array.isArray(value)) left.push(...value.slice(0, maxItems))
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value).slice(0, maxItems)) {
        if (key === '@type') types.push(...[inner].flat().filter((type) => typeof type === 'string'))
        else if (typeof inner === 'object' && inner !== null) left.push(inner)
      }
    }
    if (types.length >= maxTypes) break
  }
  for (const element of document.querySelectorAll('[itemtype]')) {
    if (types.length >= maxTypes) break
    types.push((element.getAttribute('itemtype') ?? '').slice(0, 200).replace(/^.*\//, ''))
  }
  return types.map((type) => type.slice(0, 200).replace(/^.*[/:#]/, ''))
}

const maxVisited = 5000
const maxItems = 200
const maxTypes = 200
