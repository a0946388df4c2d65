import { files } from '../../src/storage/files.ts'
import { openStore } from '../../src/storage/store.ts'
import { keyOf } from '../contract/store.ts'

/** A program: `bun write-forever.ts DIRECTORY` replaces one entry again and again, and says so on standard output. */
const [directory = ''] = process.argv.slice(2)
const store = openStore(files({ directory }))
for (let turn = 0; ; turn++) {
  // Large enough that a write is seldom whole when the kill comes.
  const letter = String.fromCharCode(97 + (turn % 26))
  await store.set(keyOf('shared'), { letter, text: letter.repeat(1000 * (1 + (turn % 900))) })
  if (turn % 20 === 0) process.stdout.write('.')
}
