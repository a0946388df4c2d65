import type { StructureCase } from './case.ts'
import { codeCases } from './code.ts'
import { mathCases, noteCases, supCases } from './inline.ts'
import { authorCases, listCases, styleCases } from './shapes.ts'
import { layoutCases, spanCases, tableCases } from './tables.ts'

/** All pages whose structure is known. */
export function structureCases(): readonly StructureCase[] {
  return [
    ...[...tableCases(), ...spanCases(), ...layoutCases(), ...codeCases(), ...supCases(), ...mathCases()],
    ...[...noteCases(), ...listCases(), ...styleCases(), ...authorCases()],
  ]
}
