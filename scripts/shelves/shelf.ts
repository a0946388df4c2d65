import { stringify } from 'yaml'
import type { Facts } from './facts.ts'

/** The files of one shelf, by their paths below the folder of all. */
export type Shelf = (facts: Facts) => Readonly<Record<string, string>>

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 })
}
