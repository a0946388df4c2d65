import type { Database } from 'bun:sqlite'
import { messageOf } from '@csp/lib/errors'
import { plainSnippet } from '@csp/lib/snippet'
import { plainLine } from '@csp/lib/text'
import { pageKey, parseUrl } from '@csp/lib/url'
import { choosePassages } from '@csp/passages/passages'
import type { Forgetting, KeptPage, MemoryStats, SeenPage } from '../../domain/memory.ts'
import type { Recall, WantedExcerpts } from '../../domain/recall.ts'
import type { SearchResult } from '../../domain/search.ts'
import { isWithin } from '../../executor/answer/select-rows.ts'
import { isBroken, setAside } from '../sqlite.ts'
import { bytesOf, evict } from './eviction.ts'
import { recallRows, similarQuery } from './recall.ts'
import { extents, isoOf, markUsed, type PageRow, pageOf, removePage, secondsOf, storedText } from './rows.ts'
import { openDatabase } from './schema.ts'
import { markUntidy, tidyStep } from './tidy.ts'
import { indexed, indexedHost } from './words.ts'

export interface MemoryFileOptions {
  readonly path: string
  /** The limit for the file. */
  readonly maxBytes: number
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * The pages that csp has seen, in one SQLite file with a full-text index. Several processes may share it. Its methods take
 * as long as the disk does: a server calls them in a thread. A broken file is set aside, and another is begun.
 */
export class MemoryFile {
  readonly #options: MemoryFileOptions
  readonly #now: () => number
  #database: Database
  /** What was done about a broken file. */
  problem: string | undefined

  constructor(options: MemoryFileOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    try {
      this.#database = openDatabase(options.path)
    } catch (error) {
      this.#database = this.#recreated(error)
    }
  }

  /** Keeps pages, and lets the ones go that were not used for longest, if there are too many. */
  keep(pages: readonly SeenPage[]): void {
    this.#mending((database) => {
      database
        .transaction(() => {
          for (const page of pages) this.#keepOne(database, page)
        })
        .immediate()
      evict(database, this.#options.maxBytes)
    })
  }

  /** The pages that fit best, the best first, with the passages that bear on the query. */
  recall(recall: Recall): readonly SearchResult[] {
    return this.#mending((database) => {
      const query = recall.similarTo === undefined ? recall.query : similarQuery(database, recall)
      if (query === undefined) return []
      const rows = recallRows(database, { ...recall, query }, new Date(this.#now()))
      markUsed(database, rows, Math.floor(this.#now() / 1000))
      return rows.map((row) => this.#resultOf(row, query))
    })
  }

  /** The pages at some addresses that were seen lately enough, with their passages. */
  excerpts({ urls, query, owner = '', seenAfter }: WantedExcerpts): ReadonlyMap<string, SearchResult> {
    return this.#mending((database) => {
      const find = database.query<PageRow, [string, string, number]>(
        'SELECT * FROM pages WHERE owner = ? AND key = ? AND seen >= ? AND extent > 0',
      )
      const since = secondsOf(seenAfter)
      const found = urls.flatMap((url) => {
        const row = find.get(owner, pageKey(url), since)
        return row ? [[url, this.#resultOf(row, query)] as const] : []
      })
      return new Map(found)
    })
  }

  stats(owner?: string): MemoryStats {
    return this.#mending((database) => {
      const row = database
        .query<{ pages: number; bytes: number; oldest: number | null; newest: number | null }, [string | null]>(
          `SELECT count(*) AS pages, total(length(text)) AS bytes, min(seen) AS oldest, max(seen) AS newest
           FROM pages WHERE ${ofOwner}`,
        )
        .get(owner ?? null)
      const sites = new Set(
        database
          .query<{ url: string }, [string | null]>(`SELECT url FROM pages WHERE ${ofOwner}`)
          .all(owner ?? null)
          .map(({ url }) => parseUrl(url)?.host),
      )
      return {
        pages: row?.pages ?? 0,
        bytes: owner === undefined ? bytesOf(database) : (row?.bytes ?? 0),
        sites: sites.size,
        ...(row?.oldest != null && { oldest: isoOf(row.oldest) }),
        ...(row?.newest != null && { newest: isoOf(row.newest) }),
      }
    })
  }

  /** How many pages there are, and how large the file is: at once, in any file. */
  size(): { readonly pages: number; readonly bytes: number } {
    return this.#mending((database) => {
      const row = database.query<{ pages: number }, []>('SELECT count(*) AS pages FROM pages').get()
      return { pages: row?.pages ?? 0, bytes: bytesOf(database) }
    })
  }

  /** All pages, in the order in which they were seen. */
  *pages(): Generator<KeptPage, void, undefined> {
    for (const row of this.#database.query<PageRow, []>('SELECT * FROM pages ORDER BY seen, id').iterate())
      yield pageOf(row)
  }

  /** Forgets the pages of a site and its subdomains, or all, and tidies the file. Returns how many there were. */
  forget(what?: Forgetting): number {
    const steps = this.forgetting(what)
    let step = steps.next()
    while (!step.done) step = steps.next()
    while (this.tidy());
    return step.value
  }

  /** Forgets pages, some at each step. `tidy` is to follow. */
  *forgetting({ site, owner }: Forgetting = {}): Generator<void, number, undefined> {
    const gone = this.#mending((database) =>
      database
        .query<{ id: number; url: string }, [string | null]>(`SELECT id, url FROM pages WHERE ${ofOwner}`)
        .all(owner ?? null)
        .filter(({ url }) => site === undefined || isWithin(parseUrl(url)?.hostname ?? '', site)),
    )
    let count = 0
    for (let at = 0; at < gone.length; at += forgottenAtOnce) {
      const some = gone.slice(at, at + forgottenAtOnce)
      // Others may have forgotten some of them meanwhile.
      count += this.#mending((database) => {
        const remove = () => {
          markUntidy(database)
          return some.filter(({ id }) => removePage(database, id)).length
        }
        return database.transaction(remove).immediate()
      })
      yield
    }
    return count
  }

  /** Takes a short step in removing what forgotten pages have left in the file. False once nothing is left to do. */
  tidy(): boolean {
    return this.#mending(tidyStep)
  }

  close(): void {
    this.#database.close()
  }

  #keepOne(database: Database, page: SeenPage): void {
    const key = pageKey(page.url)
    const seen = Math.floor(this.#now() / 1000)
    const extent = extents.indexOf(page.extent)
    const text = page.text.slice(0, maxText)
    const known = database
      .query<PageRow, [string, string]>('SELECT * FROM pages WHERE owner = ? AND key = ?')
      .get(page.owner, key)
    if (known && extent < known.extent && seen - known.seen < staleSeconds) {
      database.run('UPDATE pages SET used = ? WHERE id = ?', [seen, known.id])
      return
    }
    if (known) removePage(database, known.id)
    const title = page.title.slice(0, maxTitle) || (known?.title ?? '')
    const published = page.publishedAt ?? known?.published ?? null
    const language = page.language?.slice(0, 35).toLowerCase() ?? known?.language ?? null
    const { lastInsertRowid } = database.run(
      `INSERT INTO pages (owner, key, url, title, published, language, extent, text, seen, used)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [page.owner, key, page.url, title, published, language, extent, Bun.zstdCompressSync(text), seen, seen],
    )
    database.run('INSERT INTO words (rowid, title, text, site) VALUES (?, ?, ?, ?)', [
      Number(lastInsertRowid),
      indexed(title),
      indexed(text),
      indexedHost(parseUrl(page.url)?.hostname ?? ''),
    ])
  }

  #resultOf({ url, title, published, text, seen }: PageRow, query: string): SearchResult {
    const whole = storedText({ text })
    const [best, ...passages] = choosePassages(whole, query).map(plainLine)
    // What a search said of a page may be too short for a passage.
    const snippet = best ?? plainSnippet(plainLine(whole.slice(0, maxLead)))
    return {
      title,
      url,
      snippet,
      ...(passages.length > 0 && { passages }),
      ...(published !== null && { publishedAt: published }),
      seenAt: isoOf(seen),
      source: 'memory',
    }
  }

  /** Work that is done once more with another file where this one proves to be broken. */
  #mending<Value>(work: (database: Database) => Value): Value {
    try {
      return work(this.#database)
    } catch (error) {
      if (!isBroken(error)) throw error
      this.#database.close()
      this.#database = this.#recreated(error)
      return work(this.#database)
    }
  }

  #recreated(error: unknown): Database {
    if (!isBroken(error)) throw error
    const { path } = this.#options
    setAside(path)
    this.problem = `The file was broken (${messageOf(error)}). It is ${path}.damaged now, and memory starts empty.`
    return openDatabase(path)
  }
}

/** Without an owner, those of all. */
const ofOwner = '(?1 IS NULL OR owner = ?1)'
/** In characters. Longer pages are rare, and what is told in them is told early. */
const maxText = 40_000
const maxTitle = 500
const forgottenAtOnce = 20
const maxLead = 1000
/** After so long what a search says of a page may replace what was read. */
const staleSeconds = 30 * 86_400
