export { firecrawlScrape } from './scrape.ts'
export { firecrawlSearch, firecrawlSearchV1 } from './search.ts'
