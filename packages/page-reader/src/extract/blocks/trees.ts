/** A binary tree of questions, each "is this feature at most so much?"; the node `i` of a list leads to `left[i]` and `right[i]`. */
export interface Tree {
  readonly feature: Int16Array
  readonly threshold: Float32Array
  /** Where a node leads; below 0, the leaf `~left[i]`. */
  readonly left: Int16Array
  readonly right: Int16Array
  readonly leaves: Float32Array
}

/** What trees say together of a row of features, as a probability. */
export function probability(trees: readonly Tree[], rows: Float32Array, offset: number, bias: number): number {
  let sum = bias
  for (const tree of trees) sum += leafOf(tree, rows, offset)
  return 1 / (1 + Math.exp(-sum))
}

function leafOf({ feature, threshold, left, right, leaves }: Tree, rows: Float32Array, offset: number): number {
  if (feature.length === 0) return leaves[0] ?? 0
  let node = 0
  while (node >= 0) {
    const isLeft = (rows[offset + (feature[node] ?? 0)] ?? 0) <= (threshold[node] ?? 0)
    node = (isLeft ? left[node] : right[node]) ?? -1
  }
  return leaves[~node] ?? 0
}

/** Trees as the table of weights has them: in order, `feature:threshold` for a question and `=value` for a leaf. */
export function parseTree(line: string): Tree {
  const [feature, threshold, left, right, leaves]: [number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  const tokens = line.split(' ')
  let at = 0
  const read = (): number => {
    const token = tokens[at++] ?? '=0'
    if (token.startsWith('=')) return ~(leaves.push(Number(token.slice(1)) / leafScale) - 1)
    const [number = '0', limit = '0'] = token.split(':')
    const node = feature.push(Number(number)) - 1
    threshold.push(Number(limit))
    left[node] = read()
    right[node] = read()
    return node
  }
  read()
  return {
    feature: Int16Array.from(feature),
    threshold: Float32Array.from(threshold),
    left: Int16Array.from(left),
    right: Int16Array.from(right),
    leaves: Float32Array.from(leaves),
  }
}

/** Leaves are whole numbers in the table. */
export const leafScale = 1000
