import { ask, askSecret } from '../../src/runtime/shell/ask.ts'

// A program that asks twice on its terminal: `shown`, `secret`, or `mixed`, a secret first.

const [, , kind] = process.argv
const [first, second] = [kind === 'shown' ? ask : askSecret, kind === 'secret' ? askSecret : ask]
const answers = [await first('First? '), await second('Second? ')]
console.log(`answers ${JSON.stringify(answers)}`)
