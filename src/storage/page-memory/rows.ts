import type { Database } from 'bun:sqlite'
import type { KeptPage, SeenExtent } from '../../domain/memory.ts'
import { isBroken } from '../sqlite.ts'

/** A page as the table has it. */
export interface PageRow {
  readonly id: number
  readonly owner: string
  readonly url: string
  readonly title: string
  readonly published: string | null
  readonly language: string | null
  /** Its place among `extents`. */
  readonly extent: number
  readonly text: Uint8Array<ArrayBuffer>
  /** Seconds since 1970. */
  readonly seen: number
}

/** From less to more. */
export const extents: readonly SeenExtent[] = ['row', 'rough', 'whole']

/** The text of a page, which is kept compressed. */
export function storedText({ text }: Pick<PageRow, 'text'>): string {
  return new TextDecoder().decode(Bun.zstdDecompressSync(text))
}

export function pageOf(row: PageRow): KeptPage {
  const { owner, url, title, published, language, extent, seen } = row
  return {
    owner,
    url,
    title,
    ...(published !== null && { publishedAt: published }),
    ...(language !== null && { language }),
    extent: extents[extent] ?? 'row',
    seenAt: isoOf(seen),
    text: storedText(row),
  }
}

/** Notes that pages were used, so that others go first. What was found is there although the disk is full. */
export function markUsed(database: Database, rows: readonly PageRow[], seconds: number): void {
  const touch = database.query('UPDATE pages SET used = ? WHERE id = ?')
  const touchAll = () => {
    for (const { id } of rows) touch.run(seconds, id)
  }
  try {
    database.transaction(touchAll).immediate()
  } catch (error) {
    if (isBroken(error)) throw error
  }
}

/** Takes a page out of the table and of the index. Returns whether it was there. */
export function removePage(database: Database, id: number): boolean {
  const { changes } = database.run('DELETE FROM pages WHERE id = ?', [id])
  if (changes > 0) database.run('DELETE FROM words WHERE rowid = ?', [id])
  return changes > 0
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

export function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000)
}
