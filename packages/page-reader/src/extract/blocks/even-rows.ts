import type { PageBlock } from './blocks.ts'
import type { BlockParent } from './frame.ts'

/** The same chances, but one for all blocks of a table, which is content or not as a whole; of a large one, for those of a row. */
export function evenRows(blocks: readonly PageBlock[], likely: Float32Array): Float32Array {
  const sums = new Map<BlockParent, { words: number; sum: number }>()
  const units = blocks.map(unitOf)
  units.forEach((unit, index) => {
    if (!unit) return
    const own = blocks[index]?.words ?? 0
    const { words, sum } = sums.get(unit) ?? { words: 0, sum: 0 }
    sums.set(unit, { words: words + own, sum: sum + own * (likely[index] ?? 0) })
  })
  return likely.map((own, index) => {
    const unit = units[index]
    const whole = unit && sums.get(unit)
    return whole ? whole.sum / (whole.words || 1) : own
  })
}

function unitOf(block: PageBlock): BlockParent | undefined {
  const row = rowOf(block)
  let table = row
  for (let level = 0; table && table.name !== 'table' && level < 3; level++) table = table.parent
  const isSmall = table?.name === 'table' && table.words <= maxTable && table.words <= table.blocks * maxCell
  return isSmall ? table : row
}

/** The row of a table that a block is in, unless the table arranges the page. */
export function rowOf({ frame }: PageBlock): BlockParent | undefined {
  let row: BlockParent | undefined = frame
  for (let level = 0; row && row.name !== 'tr' && level < maxInCell; level++) row = row.parent
  return row?.name === 'tr' && row.words <= maxRow ? row : undefined
}

/** Elements between a row and its words. */
const maxInCell = 4
/** In words. */
const maxRow = 60
const maxTable = 400
const maxCell = 12
