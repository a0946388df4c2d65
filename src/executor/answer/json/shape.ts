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
import { checkExpansion, checkNesting, checkSize, invalidSchema, removeUnchecked, StepLimit } from './schema-bounds.ts'

/**
 * A JSON Schema that values are checked against. Its work is bounded, since callers write schemas and may also influence
 * the text: references that expand to too many schemas are refused, and patterns and uniqueness are not checked.
 */
export class JsonShape {
  /** Where its values have addresses. */
  readonly addressNames: AddressNames
  /** The keywords in it that are not checked. */
  readonly unchecked: readonly string[]
  readonly #check: (value: unknown) => ValidationResult
  readonly #visits = new StepLimit()

  /** Throws `invalid-request` for an invalid schema. */
  constructor(schema: JsonSchema) {
    const problem = schemaProblem(schema)
    if (problem) throw invalidSchema(problem)
    const own: Schema = structuredClone(schema) // the validator changes its input
    const draft = draftOf(schema)
    try {
      checkNesting(own)
      const known = dereference(own)
      const parts = Object.values(known).filter((part): part is Schema => typeof part === 'object')
      checkReferences(parts, known)
      this.unchecked = removeUnchecked(parts)
      checkExpansion(parts, known)
      for (const part of parts) this.#visits.count(part)
      this.#check = (value) => validate(value, own, draft, known, false)
    } catch (error) {
      throw error instanceof SearchError ? error : invalidSchema(error instanceof Error ? error.message : '', error)
    }
    this.addressNames = new AddressNames(schema)
    this.problems(null) // throws for a schema that contains only itself
  }

  /** Why a value does not fit, a line each; empty when it does. Throws `invalid-request` when the check would not end. */
  problems(value: unknown): readonly string[] {
    this.#visits.begin()
    try {
      const { valid, errors } = this.#check(value)
      return valid ? [] : problemLines(errors)
    } catch (error) {
      if (error instanceof SearchError) throw error
      throw invalidSchema('it cannot be applied', error) // a schema that contains itself endlessly
    }
  }
}

/** The keywords of a valid schema that have no effect, for the caller. */
export function uncheckedKeywords(schema: JsonSchema): readonly string[] {
  return new JsonShape(schema).unchecked.map((keyword) => `schema.${keyword}`)
}

/** Why something is no JSON Schema; `undefined` when it is one. Throws `invalid-request` for one that is too large. */
function schemaProblem(schema: JsonSchema): string | undefined {
  checkSize(schema)
  const { errors } = new Validator(structuredClone(metaSchema), '2020-12', false).validate(structuredClone(schema))
  const depth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length
  return problemLines(errors.toSorted((a, b) => depth(b) - depth(a)))[0]
}

/** Why the Messages API would reject these parameters of a function; `undefined` when it takes them. */
export function parametersProblem(parameters: JsonSchema): string | undefined {
  const { properties } = parameters
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const name = names.find((each) => !/^[A-Za-z0-9_.-]{1,64}$/.test(each))
  if (name !== undefined) {
    return `The property name “${name.slice(0, 80)}” should be 1 to 64 letters, digits, underscores, dots or dashes.`
  }
  try {
    return schemaProblem(parameters)
  } catch (error) {
    if (error instanceof SearchError) return error.message
    throw error
  }
}

/** The innermost errors: the outer ones only say that there is one inside. */
function problemLines(errors: readonly OutputUnit[]): readonly string[] {
  const inner = errors.filter(({ keyword }) => !outer.has(keyword))
  const lines = inner.map(({ instanceLocation, error }) => {
    const at = instanceLocation.replace(/^#\/?/, '')
    return at === '' ? error : `At ${at}: ${error}`
  })
  return [...new Set(lines)]
}

const outer = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalProperties'])

/** The validator makes no difference between the drafts after 7. */
function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const address = typeof $schema === 'string' ? $schema : ''
  if (/draft-0?4/.test(address)) return '4'
  return /draft-0?7/.test(address) ? '7' : '2020-12'
}

/** The validator finds a dangling reference only when a value reaches it. */
function checkReferences(parts: readonly Schema[], known: Readonly<Record<string, unknown>>): void {
  for (const { $ref, __absolute_ref__: target = '' } of parts) {
    if (typeof $ref === 'string' && known[target] === undefined)
      throw invalidSchema(`“${$ref.slice(0, 100)}” points to nothing`)
  }
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
