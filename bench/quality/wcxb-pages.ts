import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type PageKind, pageKinds } from '@csp/page-reader/page'
import { z } from 'zod'
import { type Half, halfOf } from './halves.ts'

/** A page of WCXB's dev split with the text that people took for its content. */
export interface WcxbPage {
  readonly id: string
  readonly url: string
  readonly kind: PageKind
  /** By its site, so that no site is in both. */
  readonly half: Half
  readonly body: string
  readonly html: string
}

const truthSchema = z.object({
  url: z.string().nullish(),
  _internal: z.object({ page_type: z.object({ primary: z.string() }) }),
  ground_truth: z.object({ main_content: z.string().nullish() }),
})

/** The dev split in a folder. The test split is never read: it is there to measure with from outside. */
export function* wcxbPages(folder: string): Generator<WcxbPage> {
  const files = z
    .object({ files: z.record(z.string(), z.object({ domain: z.string() })) })
    .parse(JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'))).files
  for (const name of readdirSync(join(folder, 'dev/ground-truth')).toSorted()) {
    const id = name.replace('.json', '')
    const file = join(folder, 'dev/html', `${id}.html.gz`)
    if (!existsSync(file)) continue
    const truth = truthSchema.parse(JSON.parse(readFileSync(join(folder, 'dev/ground-truth', name), 'utf8')))
    const said = truth._internal.page_type.primary
    yield {
      id,
      url: truth.url ?? 'https://page.example/',
      kind: pageKinds.find((kind) => kind === (said === 'category' ? 'collection' : said)) ?? 'article',
      half: halfOf(files[id]?.domain ?? id),
      body: truth.ground_truth.main_content ?? '',
      html: gunzipSync(readFileSync(file)).toString(),
    }
  }
}
