import { z } from 'zod'
import { prettyJson } from '../shell/printed.ts'
import { fields } from './declarations/fields.ts'
import { type Setting, settings } from './settings.ts'

/** The schema beside a configuration file, which the file names: editors read it without a network. */
export const schemaFile = 'config.schema.json'

/** The text of a new configuration file. */
export const newConfig = `{\n  "$schema": "./${schemaFile}"\n}\n`

/** A JSON Schema of the configuration file, for completion and help in editors. What csp takes it never rejects. */
export function configSchemaText(): string {
  const own = settings.map((setting) => [setting.flag, property(setting)] as const)
  return prettyJson({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration of csp',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(own) },
    additionalProperties: false,
    // Editors of the VS Code family read these.
    ...{ allowComments: true, allowTrailingCommas: true },
  })
}

function property({ name, help, variable, default: usual, defaultText }: Setting) {
  const {
    $schema: _,
    default: __,
    ...schema
  } = z.toJSONSchema(fields.shape[name], {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // csp checks them itself, without regard to case where there is none.
      for (const key of ['pattern', 'allOf'] as const) delete jsonSchema[key]
      const { type, required = [], properties = {} } = jsonSchema
      const isGiven = (key: string) => Object.hasOwn(Object(properties[key]), 'default')
      if (required.length > 0) jsonSchema.required = required.filter((key) => !isGiven(key))
      // Times, parts and the like may be texts with units.
      if (type === 'number' || type === 'integer' || type === 'boolean')
        Object.assign(jsonSchema, { type: [type, 'string'] })
    },
  })
  const isList = schema.type === 'array' && name !== 'gateway'
  return {
    description: variable === undefined ? `${help}.` : `${help}. As a variable: ${variable}.`,
    ...(isList ? { anyOf: [schema, { type: 'string' }] } : schema),
    ...((usual !== undefined || defaultText !== undefined) && { default: usual ?? defaultText }),
  }
}
