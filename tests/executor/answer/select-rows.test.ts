import { expect, test } from 'bun:test'
import { isWithin } from '../../../src/executor/answer/select-rows.ts'

test.each([
  ['evil.example', 'evil.example', true],
  ['evil.example.', 'evil.example', true],
  ['evil.example', 'evil.example.', true],
  ['www.evil.example.', 'evil.example', true],
  ['www.evil.example', 'https://www.evil.example./', true],
  ['notevil.example.', 'evil.example', false],
  ['evil.example.org', 'evil.example.', false],
])('whether %s is a site of %s: %p', (host, domain, expected) => expect(isWithin(host, domain)).toBe(expected))
