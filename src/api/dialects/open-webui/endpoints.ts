export { openWebuiLoader } from './loader.ts'
export { openWebuiSearch } from './search.ts'
