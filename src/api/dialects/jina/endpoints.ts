export { jinaReader } from './reader.ts'
export { jinaSearch } from './search.ts'
