import { dereference, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { SearchError } from '../../../domain/error.ts'
import type { JsonSchema } from '../../../domain/search.ts'

/**
 * A JSON Schema that values are checked against, except for patterns that could take too long: a caller wrote them, and
 * may also influence the text.
 */
export class JsonShape {
  readonly #validator: Validator

  /** Throws `invalid-request` for an invalid schema. */
  constructor(schema: JsonSchema) {
    const own: Schema = structuredClone(schema) // the validator changes its input
    const { errors } = new Validator(structuredClone(metaSchema), '2020-12', false).validate(own)
    const depth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length
    const [problem] = problemLines(errors.toSorted((a, b) => depth(b) - depth(a)))
    if (problem) throw invalid(problem)
    try {
      checkPatterns(own)
      checkReferences(own, dereference(own))
      this.#validator = new Validator(own, draftOf(schema), false)
    } catch (error) {
      throw error instanceof SearchError ? error : invalid(error instanceof Error ? error.message : '', error)
    }
    this.problems(null) // throws for a schema that contains only itself
  }

  /** Why a value does not fit, a line each; empty when it does. */
  problems(value: unknown): readonly string[] {
    try {
      const { valid, errors } = this.#validator.validate(value)
      return valid ? [] : problemLines(errors)
    } catch (error) {
      throw invalid('it cannot be applied', error) // a schema that contains itself endlessly
    }
  }
}

/** The innermost errors: the outer ones only say that there is one inside. */
function problemLines(errors: readonly OutputUnit[]): readonly string[] {
  const inner = errors.filter(({ error, keyword }) => !outer.has(keyword) || !/subschema|does not match/i.test(error))
  const lines = (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => {
    const at = instanceLocation.replace(/^#\/?/, '')
    return at === '' ? error : `At ${at}: ${error}`
  })
  return [...new Set(lines)]
}

const outer = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalProperties'])

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const year = typeof $schema === 'string' ? /draft-0?([47])|draft\/(2019-09)/.exec($schema) : null
  const [, number, dated] = year ?? []
  if (dated) return '2019-09'
  return number === '4' || number === '7' ? number : '2020-12'
}

/** Throws for an invalid pattern, which the validator would find only when a value reaches it; drops slow ones. */
function checkPatterns(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const known: Schema = schema
  if (typeof known.pattern === 'string') {
    new RegExp(known.pattern, 'u')
    if (!isTamePattern(known.pattern)) delete known.pattern
  }
  for (const name of Object.keys(known.patternProperties ?? {})) {
    new RegExp(name, 'u')
    // Without it the validator would reject the names that it matches.
    if (!isTamePattern(name)) throw invalid(`matching names with “${name.slice(0, 100)}” could take too long`)
  }
  for (const [keyword, part] of Object.entries(schema)) if (!values.has(keyword)) checkPatterns(part)
}

/** The validator finds a dangling reference only when a value reaches it. */
function checkReferences(schema: unknown, known: Readonly<Record<string, unknown>>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { $ref, __absolute_ref__: target } = schema as Schema // added by the validator
  if (typeof $ref === 'string' && typeof target === 'string' && known[target] === undefined) {
    throw invalid(`“${$ref.slice(0, 100)}” points to nothing`)
  }
  for (const [keyword, part] of Object.entries(schema)) if (!values.has(keyword)) checkReferences(part, known)
}

/** Keywords that contain values, not schemas. */
const values = new Set(['default', 'examples', 'enum', 'const'])

function invalid(why: string, cause?: unknown): SearchError {
  return new SearchError('invalid-request', `The JSON Schema cannot be used: ${why.replace(/\.?$/, '.')}`, { cause })
}

/**
 * Whether a regular expression is sure to end soon on any text. When in doubt, no: repeated groups, lookarounds,
 * backreferences and more than two repetitions (one, where the start is not anchored) can take unbounded time.
 */
function isTamePattern(source: string): boolean {
  const plain = source.replace(/\\[^k\d]/g, 'x').replace(/\[(?:\\.|[^\]\\])*\]/g, 'x')
  if (/\\[k\d]|\(\?<?[=!]|\)(?:[*+]|\{)/.test(plain)) return false
  const repetitions = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0
  return repetitions <= (plain.startsWith('^') && !plain.includes('|') ? 2 : 1)
}

const self = { $ref: '#' }
const selfMap = { type: 'object', additionalProperties: self }
const selfList = { type: 'array', items: self, minItems: 1 }
const names = { type: 'array', items: { type: 'string' } }
const count = { type: 'integer', minimum: 0 }
const number = { type: 'number' }
const typeName = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }

/** A schema for JSON Schemas of any draft: the keywords that constrain a value. Other keywords may be anything. */
const metaSchema: JsonSchema = {
  type: ['object', 'boolean'],
  properties: {
    $ref: { type: 'string' },
    $defs: selfMap,
    definitions: selfMap,
    type: { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1 }] },
    enum: { type: 'array' },
    properties: selfMap,
    patternProperties: selfMap,
    additionalProperties: self,
    propertyNames: self,
    required: names,
    dependentRequired: { type: 'object', additionalProperties: names },
    minProperties: count,
    maxProperties: count,
    items: { anyOf: [self, { type: 'array', items: self }] },
    prefixItems: selfList,
    contains: self,
    minItems: count,
    maxItems: count,
    uniqueItems: { type: 'boolean' },
    pattern: { type: 'string' },
    minLength: count,
    maxLength: count,
    minimum: number,
    maximum: number,
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    allOf: selfList,
    anyOf: selfList,
    oneOf: selfList,
    not: self,
    if: self,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: self,
    else: self,
  },
}
