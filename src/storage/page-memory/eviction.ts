import type { Database } from 'bun:sqlite'
import { pragmaOf } from '../sqlite.ts'
import { removePage } from './rows.ts'

/** Lets the pages go that were not used for longest, while the file is too large. */
export function evict(database: Database, maxBytes: number): void {
  for (let round = 0; round < maxRounds && bytesOf(database) > maxBytes; round++) {
    const count = database.query<{ pages: number }, []>('SELECT count(*) AS pages FROM pages').get()?.pages ?? 0
    const oldest = database
      .query<{ id: number }, [number]>('SELECT id FROM pages ORDER BY used, id LIMIT ?')
      .all(Math.max(1, Math.ceil(count * evictedShare)))
    database
      .transaction(() => {
        for (const { id } of oldest) removePage(database, id)
      })
      .immediate()
    database.run("INSERT INTO words(words, rank) VALUES('merge', 500)")
  }
}

/** The share of all pages that goes at a time. */
const evictedShare = 0.02
const maxRounds = 20

/** The size of the file, without what is free in it. */
export function bytesOf(database: Database): number {
  const pragma = (name: string) => pragmaOf(database, name)
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}
