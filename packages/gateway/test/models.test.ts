import { expect, test } from 'bun:test'
import { claudePatterns, matchesPattern } from '../src/models.ts'
import { providerModel } from './support/provider-model.ts'

test.each([
  ['claude-haiku-4-5-20251001', 'gpt-5-mini'],
  ['Claude-3-5-Haiku-latest', 'gpt-5-mini'],
  ['claude-sonnet-4-5', 'gpt-5'],
  ['claude-sonnet-5-5', 'gpt-5'],
  ['anthropic/claude-sonnet-4', 'gpt-5'],
  ['sonnet', 'gpt-5'],
  ['SONNET', 'gpt-5'],
  ['claude-sonnet-3-7', 'gpt-4o'],
  ['claude-3-5-sonnet-20241022', 'gpt-4o'],
  ['claude-3-7-sonnet', 'gpt-4o'],
  ['claude-3-sonnet-20240229', 'gpt-4o'],
  ['claude-sonnet-6', 'gpt-5'],
  ['claude-sonnet-latest', 'gpt-5'],
  ['claude-fable-5-2', 'gpt-5'],
  ['fable', 'gpt-5'],
  ['claude-opus-4-1', 'gpt-5'],
  ['opus', 'gpt-5'],
  ['openai/gpt-5', 'openai/gpt-5'],
  ['qwen2.5:14b', 'qwen2.5:14b'],
  ['claude-instant', 'claude-instant'],
  ['my-sonnet', 'my-sonnet'],
])('The model %s is %s at the provider, unless the user says otherwise', (asked, expected) => {
  expect(providerModel(asked, claudePatterns())).toBe(expected)
})

test('The names that the user gave replace the defaults, for all generations of a size', () => {
  const patterns = claudePatterns({ haiku: 'small', sonnet: 'middle', opus: 'big' })
  const asked = [
    'claude-haiku-4-5',
    'claude-sonnet-4',
    'claude-3-5-sonnet-latest',
    'sonnet',
    'claude-opus-4-5',
    'other',
  ]
  expect(asked.map((name) => providerModel(name, patterns))).toEqual([
    'small',
    'middle',
    'middle',
    'middle',
    'big',
    'other',
  ])
})

test('The first pattern that matches counts', () => {
  const patterns = [['claude-opus-4*', 'a'] as const, ...claudePatterns()]
  expect(providerModel('claude-opus-4-1', patterns)).toBe('a')
  expect(providerModel('claude-opus-5', patterns)).toBe('gpt-5')
})

test.each([
  ['abc', '*', true],
  ['abc', 'a*c', true],
  ['ac', 'a*c', true],
  ['aXbYc', 'a*b*c', true],
  ['abc', 'a*bc*c', false],
  ['a', 'a*a', false],
  ['aba', '*ab*ba*', false],
  ['gpt.5', 'gpt?5', false],
  ['', '*', true],
])('The name %p with the pattern %p: %p', (name, pattern, expected) => {
  expect(matchesPattern(name, pattern)).toBe(expected)
})
