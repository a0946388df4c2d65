export { bingNews } from './news.ts'
export { bingSearch } from './search.ts'
