import type { Evidence } from '@csp/evidence/evidence'

/** A record of a written answer, to check it later. Plain data; every text is untrusted. */
export interface Receipt {
  /** 32 random hexadecimal digits. */
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  readonly question: string
  /** The model that wrote the answer, as the backend names it. */
  readonly model: string
  /** The strategy: `fast`, `standard`, `deep` or `research`. */
  readonly strategy: string
  readonly backend?: string | undefined
  /** Set if the sandbox answered: its pages are not on the web. */
  readonly sandbox?: boolean | undefined
  readonly answer: string
  readonly sentences: readonly Evidence[]
  readonly sources: readonly ReceiptSource[]
}

/** A source of an answer. */
export interface ReceiptSource {
  /** Its number in the answer's markers, from 1. */
  readonly number: number
  readonly url: string
  readonly title: string
  /** When it was published, `YYYY-MM-DD`. */
  readonly date?: string | undefined
  /** The passages that the writer was given. */
  readonly passages: readonly string[]
  /** SHA-256 of its text. Absent if it is not cited or was not read. */
  readonly hash?: string | undefined
  /** Its text in Markdown. Absent if it was not stored or is damaged. */
  readonly text?: string | undefined
}

/** A receipt and the account that it belongs to. */
export interface OwnedReceipt extends Receipt {
  readonly owner: string
}

/** A receipt before it is stored: the texts have no hashes yet. */
export type ReceiptDraft = Omit<OwnedReceipt, 'id' | 'time'>

export interface ReceiptQuery {
  readonly limit: number
  /** The owner of the receipts. Absent: all owners. */
  readonly owner?: string | undefined
  /** Lists the receipts after this id. */
  readonly after?: string | undefined
}

export interface ReceiptList {
  readonly receipts: readonly OwnedReceipt[]
  /** The `after` of the next page. Absent at the end. */
  readonly next?: string | undefined
}

/** Stores receipts. */
export interface Receipts {
  /** Stores a receipt. Returns its id, or `undefined` if it could not be stored. Never throws. */
  keep(draft: () => Promise<ReceiptDraft>): Promise<string | undefined>
  /** A receipt with the texts of its pages; `undefined` if it is missing, expired or damaged. */
  read(id: string): Promise<OwnedReceipt | undefined>
  /** The newest first, without the texts of their pages. May return fewer than `limit` even if there are more. */
  list(query: ReceiptQuery): Promise<ReceiptList>
  /** Why the last write failed, if it did. */
  readonly problem: string | undefined
  /** Waits for pending writes. */
  flush(): Promise<void>
}
