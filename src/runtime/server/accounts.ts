import { join } from 'node:path'
import { accountOf } from '../../domain/account.ts'
import { Budget } from '../../executor/layers/metering/budget.ts'
import type { Ledger } from '../../executor/layers/metering/ledger.ts'
import { ledgerFiles } from '../../storage/ledger-files.ts'
import { type ReceiptFiles, receiptFiles } from '../../storage/receipt-files.ts'
import type { LoadedConfig } from '../config/config.ts'
import { refuseNewerState } from '../config/formats.ts'
import { configuredLimits } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import { createKeyRing, type FileKeyRing } from './key-ring.ts'

/** The keys of callers, what each may spend and what it has spent. */
export interface Accounts {
  readonly keyRing: FileKeyRing
  /** For the layer that counts, `metered(budget)`, and for `/usage`. */
  readonly budget: Budget
  /** The part of Claude's plan that a caller leaves, 0 to 1, where its key says so. */
  reserveOf(caller: string): number | undefined
}

/**
 * Creates the keys and the ledger as configured; `stateDir` overrides the configured one. Reads them only when used. Throws
 * a `UsageError` for a folder of a newer csp.
 */
export function createAccounts(config: LoadedConfig['config'], log: Log, stateDir = config.stateDir): Accounts {
  const keyRing = createKeyRing({ path: config.keyFile, onProblem: (message) => log('error', message) })
  const budget = new Budget({
    ledger: createLedger(stateDir),
    limits: configuredLimits(config, config.sandbox ? 0 : usualSearchesPerDay),
    limitsOf: keyRing.limitsOf,
    warn: (message) => log('warning', message),
  })
  return {
    keyRing,
    budget,
    reserveOf(caller) {
      const percent = keyRing.limitsOf(accountOf(caller))?.planReserve
      return percent === undefined ? undefined : percent / 100
    },
  }
}

/** What a plan's limits assume is ordinary, individual usage. The sandbox costs nothing; an edge has its homes' limits. */
const usualSearchesPerDay = 500

/** The ledger of a state folder. Throws a `UsageError` for that of a newer csp. */
export function createLedger(stateDir: string): Ledger {
  refuseNewerState(stateDir)
  return ledgerFiles({ directory: join(stateDir, 'usage') })
}

/** The receipts of a state folder, or of the sandbox. Throws a `UsageError` for that of a newer csp. */
export function openReceipts(stateDir: string, sandbox = false): ReceiptFiles {
  refuseNewerState(stateDir)
  return receiptFiles({ directory: join(stateDir, 'receipts'), sandbox, ...receiptBounds })
}

/** Hardly anybody checks an answer after a quarter of a year. */
const receiptBounds = { maxBytes: 200e6, maxDays: 90 }
