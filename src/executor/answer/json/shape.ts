import {
  dereference,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  type ValidationResult,
  Validator,
  validate,
} from '@cfworker/json-schema'
import { SearchError } from '../../../domain/error.ts'
import type { JsonSchema } from '../../../domain/search.ts'
import { AddressNames } from './addresses.ts'
import { type PatternCost, patternCost } from './pattern.ts'
import {
  checkExpansion,
  checkNesting,
  checkSize,
  formatCosts,
  invalidSchema,
  StepLimit,
  stepsOnLongest,
  TooCostly,
  valueKeywords,
  withoutCostly,
} from './schema-bounds.ts'

/**
 * A JSON Schema that values are checked against. Its work is bounded, since callers write schemas and may also influence
 * the text: references that expand to too many schemas are refused, patterns without a known bound are not checked, and
 * neither patterns nor uniqueness are where a value is so large that they would take long.
 */
export class JsonShape {
  /** Where its values have addresses. */
  readonly addressNames: AddressNames
  readonly #schema: Schema
  readonly #draft: SchemaDraft
  readonly #patterns: readonly PatternCost[]
  readonly #visits = new StepLimit()
  #full: Check | undefined
  #light: Check | undefined

  /** Throws `invalid-request` for an invalid schema. */
  constructor(schema: JsonSchema) {
    const problem = schemaProblem(schema)
    if (problem) throw invalidSchema(problem)
    const own: Schema = structuredClone(schema) // the validator changes its input
    this.#draft = draftOf(schema)
    try {
      this.#patterns = checkPatterns(own)
      checkNesting(own)
      this.#schema = structuredClone(own)
      const known = dereference(own)
      checkReferences(own, known)
      checkExpansion(own, known)
    } catch (error) {
      throw error instanceof SearchError ? error : invalidSchema(error instanceof Error ? error.message : '', error)
    }
    this.addressNames = new AddressNames(schema)
    this.problems(null) // throws for a schema that contains only itself
  }

  /** Why a value does not fit, a line each; empty when it does. Throws `invalid-request` when the check would not end. */
  problems(value: unknown): readonly string[] {
    try {
      const { valid, errors } = this.#check(value)
      return valid ? [] : problemLines(errors)
    } catch (error) {
      if (error instanceof SearchError) throw error
      throw invalidSchema('it cannot be applied', error) // a schema that contains itself endlessly
    }
  }

  #check(value: unknown): ValidationResult {
    this.#visits.begin(stepsOnLongest(value, this.#patterns))
    try {
      this.#full ??= this.#createCheck(structuredClone(this.#schema))
      return this.#full(value)
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error
      this.#visits.begin(0)
      this.#light ??= this.#createCheck(withoutCostly(this.#schema))
      return this.#light(value)
    }
  }

  #createCheck(schema: Schema): Check {
    const known = dereference(schema)
    for (const part of Object.values(known)) if (typeof part === 'object') this.#visits.count(part)
    return (value) => validate(value, schema, this.#draft, known, false)
  }
}

/** Why something is no JSON Schema; `undefined` when it is one. Throws `invalid-request` for one that is too large. */
export function schemaProblem(schema: JsonSchema): string | undefined {
  checkSize(schema)
  const { errors } = new Validator(structuredClone(metaSchema), '2020-12', false).validate(structuredClone(schema))
  const depth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length
  return problemLines(errors.toSorted((a, b) => depth(b) - depth(a)))[0]
}

type Check = (value: unknown) => ValidationResult

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

/**
 * Throws for an invalid pattern, which the validator would find only when a value reaches it; drops those without a
 * known bound. Returns what the others cost.
 */
function checkPatterns(schema: unknown): readonly PatternCost[] {
  if (typeof schema !== 'object' || schema === null) return []
  const costs: PatternCost[] = []
  const known: Schema = schema
  if (known.format === 'url') known.format = 'uri' // the validator's own pattern for it may never end
  const formatCost = formatCosts.get(known.format)
  if (formatCost) costs.push(formatCost)
  if (typeof known.pattern === 'string') {
    new RegExp(known.pattern, 'u')
    const cost = patternCost(known.pattern)
    if (cost) costs.push(cost)
    else delete known.pattern
  }
  for (const name of Object.keys(known.patternProperties ?? {})) {
    new RegExp(name, 'u')
    const cost = patternCost(name)
    // Without it the validator would reject the names that it matches.
    if (!cost || cost.degree > 1) throw invalidSchema(`matching names with “${name.slice(0, 100)}” could take too long`)
    costs.push(cost)
  }
  for (const [keyword, part] of Object.entries(schema))
    if (!valueKeywords.has(keyword)) costs.push(...checkPatterns(part))
  return costs
}

/** The validator finds a dangling reference only when a value reaches it. */
function checkReferences(schema: unknown, known: Readonly<Record<string, unknown>>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { $ref, __absolute_ref__: target } = schema as Schema // added by the validator
  if (typeof $ref === 'string' && typeof target === 'string' && known[target] === undefined) {
    throw invalidSchema(`“${$ref.slice(0, 100)}” points to nothing`)
  }
  for (const [keyword, part] of Object.entries(schema)) if (!valueKeywords.has(keyword)) checkReferences(part, known)
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
