import { passagesOf as shownOf } from '@csp/evidence/evidence'
import { passageFinder } from '@csp/evidence/has-passage'
import { sha256 } from '@csp/lib/bytes'
import type { Page } from '@csp/page-reader/page'
import { PageError } from '@csp/page-reader/page-error'
import type { Receipt, ReceiptSource } from '../../../domain/receipt.ts'

/** What has become of a page since it was cited. */
export interface SourceAgain {
  readonly number: number
  readonly url: string
  /** `changed`: its text is another one; what was cited may be there still. */
  readonly state: 'same' | 'changed' | 'unreachable'
  /** The cited passages that it has no more. */
  readonly gone: readonly string[]
  /** Why it could not be read. */
  readonly error?: string | undefined
}

/** Reads the cited pages again, and compares them with what the receipt has of them. */
export function readAgain(
  { sources, sentences }: Receipt,
  read: (url: string) => Promise<Page>,
): Promise<readonly SourceAgain[]> {
  const passagesOf = ({ number }: ReceiptSource) =>
    sentences.flatMap((one) => shownOf(one).filter(({ source }) => source === number))
  const cited = sources.filter((source) => source.hash !== undefined || passagesOf(source).length > 0)
  return Promise.all(
    cited.map(async (source) => {
      const { number, url, hash, text } = source
      const passages = new Map(passagesOf(source).map((passage) => [passage.text, passage]))
      try {
        const { content } = await read(url)
        if ((await sha256(content)) === hash) return { number, url, state: 'same', gone: [] }
        const has = passageFinder(content)
        const gone = [...passages.values()].filter((passage) => !has(passage, text))
        return { number, url, state: 'changed', gone: gone.map((passage) => passage.text) }
      } catch (error) {
        if (!(error instanceof PageError) || error.code === 'cancelled') throw error
        return { number, url, state: 'unreachable', gone: [], error: error.message }
      }
    }),
  )
}
