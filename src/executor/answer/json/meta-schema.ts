import type { JsonSchema } from '../../../domain/search.ts'

const self = { $ref: '#' }
const selfMap = { type: 'object', additionalProperties: self }
const selfList = { type: 'array', items: self, minItems: 1 }
const names = { type: 'array', items: { type: 'string' } }
const count = { type: 'integer', minimum: 0 }
const number = { type: 'number' }
const typeName = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }

/** What a JSON Schema must be, of any draft: the keywords that say something about a value. Others may be anything. */
export const metaSchema: JsonSchema = {
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
