import { describe, expect, test } from 'bun:test'
import { claudeModels } from '../../src/domain/claude-models.ts'
import {
  chooseModel,
  configuredModels,
  isKnownModel,
  type ModelMap,
  type ModelSettings,
  unknownModelNote,
  withOffered,
} from '../../src/domain/model.ts'

function named(defaultEffort: ModelSettings['defaultEffort'], models: ModelMap = {}): ModelMap {
  return configuredModels({ defaultEffort, models, unknownModels: 'serve' })
}

describe('the name of a model', () => {
  test.each([
    ['chat-haiku', 'haiku'],
    ['chat-sonnet', 'sonnet'],
    ['openai/chat-opus', 'opus'],
    [' chat-opus\n', 'opus'],
  ])('%s is plain inference', (name, model) => {
    expect(chooseModel(name)).toEqual({ effort: 'standard', model, isPlain: true })
  })

  test('of any family of Claude’s writes an answer, and with chat- in front plain text', () => {
    for (const model of Object.keys(claudeModels)) {
      expect(chooseModel(model)).toEqual({ effort: 'standard', model })
      expect(chooseModel(`chat-${model}`)).toEqual({ effort: 'standard', model, isPlain: true })
      expect(chooseModel(model, named('deep'))).toEqual({ effort: 'deep', model })
    }
  })

  test('that the CLI offers means that model, unless the user has said otherwise', () => {
    const offered = [{ name: 'saga', fullName: 'claude-saga-6', title: 'Saga' }]
    expect(chooseModel('saga', withOffered(named('deep'), offered))).toEqual({
      effort: 'deep',
      model: 'saga',
    })
    const own = { saga: { effort: 'fast' } } as const
    expect(chooseModel('saga', withOffered(named('standard', own), offered))).toEqual({ effort: 'fast' })
  })

  test.each([
    ['gemini-flash-lite-latest', 'fast'],
    ['gemini-2.5-flash-lite-preview-09-2025', 'fast'],
    ['gemini-3.6-flash', 'standard'],
    ['google/gemini-2.0-flash', 'standard'],
    ['gemini/gemini-2.5-pro', 'deep'],
    ['gemini-3-pro-preview', 'deep'],
    ['gemini-exp-1206', 'standard'],
  ] as const)('%s of Google is of %s effort, whatever its version', (name, effort) => {
    expect(chooseModel(name)).toEqual({ effort })
  })

  test.each(['gemini-embedding-001', 'gemini-2.5-flash-image', 'gemini-2.5-pro-preview-tts'])(
    '%s writes no text and means nothing',
    (name) => {
      expect(chooseModel(name)).toBeUndefined()
    },
  )

  test('may stand for plain inference in a map of one’s own', () => {
    expect(chooseModel('mine', { mine: { effort: 'text', model: 'opus' } })).toMatchObject({ isPlain: true })
  })

  test('that is not known means the entry * of the map, where there is one', () => {
    const models = { known: { effort: 'deep' }, '*': { effort: 'fast', model: 'haiku' } } as const
    expect(chooseModel('gpt-9', models)).toEqual({ effort: 'fast', model: 'haiku' })
    expect(chooseModel('known', models)).toMatchObject({ effort: 'deep' })
    expect(chooseModel('claude-opus-5', models)).toEqual({ effort: 'standard', model: 'claude-opus-5' })
    expect(chooseModel('gpt-9', { known: { effort: 'deep' } })).toBeUndefined()
    expect(chooseModel('toString', models)).toEqual({ effort: 'fast', model: 'haiku' })
  })
})

test.each(['sonnet', 'opus', 'haiku', 'claude-opus-4-1', 'anthropic/claude-sonnet-6'])(
  'The name %s of Claude is plain inference where the switch says so',
  (name) => {
    const model = name.replace('anthropic/', '')
    expect(chooseModel(name, named('text'))).toEqual({ effort: 'standard', model, isPlain: true })
    expect(chooseModel(name, named('standard'))).toEqual({ effort: 'standard', model })
    expect(chooseModel('sonar', named('text'))).toEqual({ effort: 'fast', model: undefined })
  },
)

describe('a name that means nothing here', () => {
  const others = ['gpt-4o', 'gpt-5', 'openai/o3', 'mistral-large', 'gemini', 'toString', '🙂', 'x'.repeat(100_000)]

  test.each(others)('is served as it is configured: %.20s', (name) => {
    expect([chooseModel(name), isKnownModel(name)]).toEqual([{ effort: 'standard', model: undefined }, false])
    expect(chooseModel(name, named('deep'))).toMatchObject({ effort: 'deep' })
    expect(chooseModel(name, named('text'))).toMatchObject({ isPlain: true })
    expect(unknownModelNote(name, named('fast'), 'haiku')).toBe('fast, written by haiku')
  })

  test.each(others)('is refused where that is set, unless the user has an entry for it: %.20s', (name) => {
    const refusing = (models: ModelMap) =>
      configuredModels({ defaultEffort: 'standard', unknownModels: 'refuse', models })
    expect(chooseModel(name, refusing({}))).toBeUndefined()
    expect(chooseModel(name, refusing({ '*': { effort: 'fast' } }))).toMatchObject({ effort: 'fast' })
    expect(chooseModel('claude-opus-9', refusing({}))).toMatchObject({ model: 'claude-opus-9' })
  })

  test.each([
    ['sonar-por', 'sonar-pro'],
    ['perplexity/sonr', 'sonar'],
    ['sonet', 'sonnet'],
    ['chat-haku', 'chat-haiku'],
    ['gpt-5-serach-api', 'gpt-5-search-api'],
    ['Sonar', 'sonar'],
  ])('may be a mistyped one: %s', (name, meant) => {
    expect(unknownModelNote(name, named('standard'))).toBe(`standard, written by sonnet; did you mean ${meant}?`)
  })

  test.each(['', ' ', 'sonar', 'claude-opus-9', 'gemini-3-pro', 'sonar-reasoning-x'])('is not %j', (name) => {
    expect(unknownModelNote(name, named('standard'))).toBeUndefined()
  })
})
