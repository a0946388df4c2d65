import { parseSync } from 'oxc-parser'

/** One small change of a source file: what stands from `start` to `end` becomes something else. */
export interface Mutation {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly was: string
  readonly becomes: string
}

/** A node of the syntax tree, which is walked without knowing its kinds. */
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>

const others = new Map([
  ...inBothDirections('===', '!=='),
  ...inBothDirections('>=', '>'),
  ...inBothDirections('<=', '<'),
  ...inBothDirections('&&', '||'),
  ...inBothDirections('+', '-'),
  ...inBothDirections('*', '/'),
  ...inBothDirections('min', 'max'),
  ...inBothDirections('some', 'every'),
  ['??', '&&'],
] as const)
/** Methods that make something of their object that may stand in its place. */
const dropped = new Set([
  'trim',
  'toLowerCase',
  'slice',
  'filter',
  'toSorted',
  'toReversed',
  'normalize',
  'catch',
  'finally',
])
const leaving = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'])

/** Every change that this makes of a file, one place at a time. Types, imports and texts stay as they are. */
export function mutationsOf(file: string, text: string): readonly Mutation[] {
  const found: Mutation[] = []
  const replace = (start: number, end: number, becomes: string) => {
    const line = text.slice(0, start).split('\n').length
    found.push({ file, line, start, end, was: text.slice(start, end), becomes })
  }
  const visit = (node: Node): void => {
    if (node.type === 'ImportDeclaration' || (node.type.startsWith('TS') && !isNode(node['expression']))) return
    mutate(node, text, replace)
    for (const [key, value] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'typeArguments') continue
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  for (const node of parseSync(file, text).program.body) if (isNode(node)) visit(node)
  return found
}

/** The text of a file with a change made. */
export function mutated(text: string, { start, end, becomes }: Mutation): string {
  return text.slice(0, start) + becomes + text.slice(end)
}

type Replace = (start: number, end: number, becomes: string) => void

function mutate(node: Node, text: string, replace: Replace): void {
  const { left, right, test, consequent, argument, callee, expression, operator, value } = node
  if ((node.type === 'BinaryExpression' || node.type === 'LogicalExpression') && isNode(left) && isNode(right)) {
    const other = others.get(String(operator))
    const parts = [left, right].map(({ start, end }) => text.slice(start, end))
    // In parentheses, since `a ?? b && c` is no expression.
    const grouped = operator === '??' ? parts.map((part) => `(${part})`) : parts
    if (other !== undefined) replace(node.start, node.end, `(${grouped.join(` ${other} `)})`)
  }
  if (node.type === 'Literal' && typeof value === 'boolean') replace(node.start, node.end, String(!value))
  if (node.type === 'Literal' && typeof value === 'number')
    replace(node.start, node.end, `${value < 2 ? value + 1 : value * 10}`)
  if (node.type === 'UnaryExpression' && operator === '!') replace(node.start, node.start + 1, '')
  if (node.type === 'AwaitExpression' && isNode(argument)) replace(node.start, argument.start, '')
  if (node.type === 'IfStatement' && isNode(test) && isNode(consequent) && leaving.has(lastOf(consequent).type))
    replace(test.start, test.end, 'false')
  if (node.type === 'ExpressionStatement' && isNode(expression) && isCall(expression) && !isParameter(expression))
    replace(node.start, node.end, ';')
  if (node.type === 'CallExpression' && isNode(callee)) mutateCall(node, callee, replace)
}

function mutateCall(call: Node, callee: Node, replace: Replace): void {
  const { object, property } = callee
  if (callee.type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return
  const name = String(property['name'])
  const other = others.get(name)
  if (other !== undefined) replace(property.start, property.end, other)
  if (dropped.has(name)) replace(object.end, call.end, '')
}

function inBothDirections(one: string, other: string) {
  return [
    [one, other],
    [other, one],
  ] as const
}

function lastOf(statement: Node): Node {
  const { body } = statement
  const last: unknown = Array.isArray(body) ? body.at(-1) : undefined
  return isNode(last) ? last : statement
}

const isCall = (node: Node): boolean =>
  node.type === 'CallExpression' ||
  (node.type === 'AwaitExpression' && isNode(node['argument']) && isCall(node['argument']))

/** `super(…)` has to stand. */
const isParameter = (node: Node): boolean => isNode(node['callee']) && node['callee'].type === 'Super'

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
