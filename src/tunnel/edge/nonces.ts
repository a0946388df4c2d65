import type { Sql } from './platform.ts'

/** The nonces of logins that could still be sent again. */
export class Nonces {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
    sql.exec('CREATE TABLE IF NOT EXISTS nonce (value TEXT PRIMARY KEY, expires INTEGER NOT NULL)')
  }

  /** Takes a nonce out of use. `false`: it has been used already. */
  spend(nonce: string, expiresAt: number, now: number): boolean {
    this.#sql.exec('DELETE FROM nonce WHERE expires < ?', now)
    const { rowsWritten } = this.#sql.exec('INSERT OR IGNORE INTO nonce VALUES (?, ?)', nonce, expiresAt)
    return rowsWritten > 0
  }
}
