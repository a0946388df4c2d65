export { exaAnswer } from './answer.ts'
export { exaContents } from './contents.ts'
export { exaFindSimilar } from './find-similar.ts'
export { exaSearch } from './search.ts'
