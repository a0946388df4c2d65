export { serperScrape } from './scrape.ts'
export { serperNews, serperNewsSearches, serperSearch, serperSearches } from './search.ts'
