export { nativeExtract } from './extract.ts'
export { nativeSearch, nativeSearchByQuery } from './search.ts'
export { nativeVerify } from './verify.ts'
