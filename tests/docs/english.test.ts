import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { root } from './markdown.ts'

/** Phrases that a reader has to translate. Write subject, verb, object, and name the thing. */
const banned = [
  /\b(?:is|are) none\b/,
  /\bnobody can be asked\b/i,
  /\bto be rid of\b/,
  /\bno part of (?:it|the)\b/,
  /\bis for you to say\b/,
  /\bwithout a word\b/,
  /\bof the (?:user|caller|client|owner)'s\b/,
  /\bin vain\b/,
  /\bcan(?:not)? be had\b/,
  /\b(?:stands|stand) behind\b/,
  /\blet alone\b/,
  /\bhears\b/i,
  /\bwhere there (?:is|are)\b/,
  /\bthose who\b/,
  /\bwho(?:ever)? (?:asks|gives|wants)\b/i,
]

const patterns = [
  'README.md',
  'packages/*/README.md',
  'docs/*.md',
  'docs/clients/*.md',
  'docs/recipes/*.md',
  'integrations/*/README.md',
]
const guides = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(root)])

test.each(guides)('%s is in plain English', async (path) => {
  expect(found(await Bun.file(`${root}/${path}`).text())).toEqual([])
})

test('so is what csp prints', async () => {
  for (const file of ['src', 'packages/*/src'].flatMap((folder) => [
    ...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root),
  ])) {
    const code = (await Bun.file(`${root}/${file}`).text()).replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    const texts = code.match(/'[^'\n]* [^'\n]*'|`[^`]* [^`]*`|"[^"\n]* [^"\n]*"/g) ?? []
    expect({ file, found: texts.filter((text) => !isOfModel(file) && found(text).length > 0) }).toEqual({
      file,
      found: [],
    })
  }
})

/** Prompts and the patterns that read others' words are not messages. */
function isOfModel(file: string): boolean {
  return file.startsWith('packages/sandbox/') || /(?:^|\/)prompts?(?:\/|\.ts)|client-tools\.ts$/.test(file)
}

function found(text: string): readonly string[] {
  return banned.flatMap((phrase) => text.match(phrase)?.[0] ?? [])
}
