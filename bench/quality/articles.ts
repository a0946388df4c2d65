import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { type Half, halfOf } from './halves.ts'

/** A page of scrapinghub's article-extraction-benchmark. */
export interface ArticlePage {
  readonly id: string
  readonly url: string
  readonly half: Half
  readonly body: string
  readonly html: string
}

const truth = z.record(z.string(), z.object({ articleBody: z.string().default(''), url: z.string().optional() }))

export function articlePages(folder: string): readonly ArticlePage[] {
  const articles = Object.entries(truth.parse(JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8'))))
  return articles.map(([id, { articleBody, url }]) => ({
    id,
    url: url ?? 'https://page.example/',
    half: halfOf(id),
    body: articleBody,
    html: gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`))).toString(),
  }))
}
