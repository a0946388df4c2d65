export { linkupFetch } from './fetch.ts'
export { linkupSearch } from './search.ts'
