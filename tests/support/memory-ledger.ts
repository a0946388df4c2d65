import { type Ledger, Tally } from '../../src/executor/layers/metering/ledger.ts'

/** A ledger that ends with the process. */
export function memoryLedger(): Ledger {
  const tally = new Tally()
  return {
    problem: undefined,
    async add(spending) {
      tally.add(spending)
    },
    async refresh() {},
    since: (day) => tally.since(day),
  }
}
