// The last questions that left a receipt, for the menu and the home view.

import { json } from './api.ts'
import { server } from './server.ts'
import { createStore } from './store.ts'

export interface ReceiptRow {
  readonly id: string
  readonly time: string
  readonly question: string
  readonly strategy: string
  readonly verdicts: Readonly<Record<string, number>>
  readonly sources?: number
}

export const recent = createStore<readonly ReceiptRow[]>([])

/** Asks for them now and whenever an answer has come or the key has changed. */
export function followRecent(): void {
  let turn = -1
  const look = async () => {
    const now = server.get().turn
    if (now === turn) return
    turn = now
    try {
      const { data } = await json<{ data: readonly ReceiptRow[] }>('v1/receipts?limit=5')
      if (turn === now) recent.set(data)
    } catch {
      if (turn === now) recent.set([])
    }
  }
  void look()
  server.follow(() => void look())
}
