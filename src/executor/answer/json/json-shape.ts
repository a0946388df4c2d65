import { dereference, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { SearchError } from '../../../domain/error.ts'
import type { JsonSchema } from '../../../domain/search.ts'
import { isTamePattern } from './is-tame-pattern.ts'
import { metaSchema } from './meta-schema.ts'

/**
 * A JSON Schema that values are held against, but for patterns that could keep the machine busy: a caller wrote them, and
 * may have a say in the text as well.
 */
export class JsonShape {
  readonly #validator: Validator

  /** Throws `invalid-request` when the schema is none. */
  constructor(schema: JsonSchema) {
    const own: Schema = structuredClone(schema) // the validator writes on what it gets
    const { errors } = new Validator(structuredClone(metaSchema), '2020-12', false).validate(own)
    const depth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length
    const [problem] = tellAll(errors.toSorted((a, b) => depth(b) - depth(a)))
    if (problem) throw invalid(problem)
    try {
      checkPatterns(own)
      checkReferences(own, dereference(own))
      this.#validator = new Validator(own, draftOf(schema), false)
    } catch (error) {
      throw error instanceof SearchError ? error : invalid(error instanceof Error ? error.message : '', error)
    }
    this.problems(null) // throws for one that holds nothing but itself
  }

  /** Why a value does not fit, a line each; nothing when it does. */
  problems(value: unknown): readonly string[] {
    try {
      const { valid, errors } = this.#validator.validate(value)
      return valid ? [] : tellAll(errors)
    } catch (error) {
      throw invalid('it cannot be applied', error) // a schema that holds itself, without end
    }
  }
}

/** The innermost errors: those around them only say that there is one inside. */
function tellAll(errors: readonly OutputUnit[]): readonly string[] {
  const inner = errors.filter(({ error, keyword }) => !outer.has(keyword) || !/subschema|does not match/i.test(error))
  const told = (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => {
    const at = instanceLocation.replace(/^#\/?/, '')
    return at === '' ? error : `At ${at}: ${error}`
  })
  return [...new Set(told)]
}

const outer = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalProperties'])

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const year = typeof $schema === 'string' ? /draft-0?([47])|draft\/(2019-09)/.exec($schema) : null
  const [, number, dated] = year ?? []
  if (dated) return '2019-09'
  return number === '4' || number === '7' ? number : '2020-12'
}

/** Throws for a pattern that is none, which the validator would find only when a value leads it there; drops wild ones. */
function checkPatterns(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const known: Schema = schema
  if (typeof known.pattern === 'string') {
    new RegExp(known.pattern, 'u')
    if (!isTamePattern(known.pattern)) delete known.pattern
  }
  for (const name of Object.keys(known.patternProperties ?? {})) {
    new RegExp(name, 'u')
    // Without it the names it stands for would be refused.
    if (!isTamePattern(name)) throw invalid(`matching names with “${name.slice(0, 100)}” could take too long`)
  }
  for (const [keyword, part] of Object.entries(schema)) if (!values.has(keyword)) checkPatterns(part)
}

/** The validator finds a reference to nothing only when a value leads it there. */
function checkReferences(schema: unknown, known: Readonly<Record<string, unknown>>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { $ref, __absolute_ref__: target } = schema as Schema // the validator's own notes on it
  if (typeof $ref === 'string' && typeof target === 'string' && known[target] === undefined) {
    throw invalid(`nothing stands where “${$ref.slice(0, 100)}” points`)
  }
  for (const [keyword, part] of Object.entries(schema)) if (!values.has(keyword)) checkReferences(part, known)
}

/** Keywords that hold values, not schemas. */
const values = new Set(['default', 'examples', 'enum', 'const'])

function invalid(why: string, cause?: unknown): SearchError {
  return new SearchError('invalid-request', `The JSON Schema cannot be used: ${why.replace(/\.?$/, '.')}`, { cause })
}
