import { ask, askSecret } from '../../src/runtime/shell/ask.ts'

// A program that asks twice on its terminal.

const question = process.argv[2] === 'secret' ? askSecret : ask
const answers = [await question('First? '), await question('Second? ')]
console.log(`answers ${JSON.stringify(answers)}`)
