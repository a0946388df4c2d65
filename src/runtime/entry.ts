import { version } from './version.ts'

console.log(version, process.argv.slice(2))
