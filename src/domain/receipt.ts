import type { Evidence, Verdict } from './evidence.ts'

/** What lets somebody check a written answer later. Plain data; every text is untrusted. */
export interface Receipt {
  /** 32 hexadecimal digits that nobody can guess. */
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  readonly question: string
  /** The model that wrote, in the backend's own words. */
  readonly model: string
  /** How it was answered: `fast`, `standard`, `deep`, `research`. */
  readonly strategy: string
  readonly backend?: string | undefined
  readonly answer: string
  readonly sentences: readonly Evidence[]
  readonly sources: readonly ReceiptSource[]
  /** Set where the answer was written a second time for its evidence. */
  readonly repair?: Repair | undefined
}

/** How many sentences of two versions of an answer have each verdict, and whether the second one was given. */
export interface Repair {
  readonly first: Readonly<Record<Verdict, number>>
  readonly second: Readonly<Record<Verdict, number>>
  readonly isTaken: boolean
}

/** A page that an answer rests on. */
export interface ReceiptSource {
  /** From 1, as the markers in the answer count. */
  readonly number: number
  readonly url: string
  readonly title: string
  /** When it was published, `YYYY-MM-DD`. */
  readonly date?: string | undefined
  /** What the writer had of it. */
  readonly passages: readonly string[]
  /** SHA-256 of its text. Absent: it is not cited, or was not read. */
  readonly hash?: string | undefined
  /** Its text in Markdown. Absent: it was not kept, or is damaged. */
  readonly text?: string | undefined
}

/** A receipt with the account whose answer it is. */
export interface OwnedReceipt extends Receipt {
  readonly owner: string
}

/** A receipt that is not kept yet: the texts have no hashes. */
export type ReceiptDraft = Omit<OwnedReceipt, 'id' | 'time'>

export interface ReceiptQuery {
  readonly limit: number
  /** Whose; absent: all. */
  readonly owner?: string | undefined
  /** The id behind which the list begins. */
  readonly after?: string | undefined
}

export interface ReceiptList {
  readonly receipts: readonly OwnedReceipt[]
  /** What to ask for next: `after`. Absent at the end. */
  readonly next?: string | undefined
}

/** Where receipts are kept. */
export interface Receipts {
  /** Keeps a receipt behind the reply, and returns its id; `undefined` where too many are being written. Never throws. */
  keep(draft: () => Promise<ReceiptDraft>): string | undefined
  /** With the texts of its pages. `undefined` for one that is not there, not any more, or damaged. */
  read(id: string): Promise<OwnedReceipt | undefined>
  /** The newest first, without the texts of their pages. A list may be shorter than its limit although there are more. */
  list(query: ReceiptQuery): Promise<ReceiptList>
  /** Why the last write failed, if it did. */
  readonly problem: string | undefined
  /** Waits for what is being written. */
  flush(): Promise<void>
}
