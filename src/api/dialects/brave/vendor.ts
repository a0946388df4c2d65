import { speak } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { braveError } from './error.ts'

const web = speak(async () => (await import('./web.ts')).braveWeb)
const news = speak(async () => (await import('./news.ts')).braveNews)
const context = speak(async () => (await import('./context.ts')).braveContext)
const videos = speak(async () => (await import('./empty.ts')).braveVideos)

export const brave: Vendor = {
  name: 'brave',
  title: 'Brave Search',
  base: '/res/v1',
  formatError: braveError,
  prefixes: withV1('/res'),
  routes: [
    ...routesWithV1('/res/v1/web/search', { GET: web, POST: web }),
    ...routesWithV1('/res/v1/news/search', { GET: news, POST: news }),
    ...routesWithV1('/res/v1/llm/context', { GET: context, POST: context }),
    ...routesWithV1('/res/v1/chat/completions', {
      POST: speak(async () => (await import('./answers.ts')).braveAnswers),
    }),
    ...routesWithV1('/res/v1/summarizer/search', {
      GET: speak(async () => (await import('./summarizer.ts')).braveSummarizer),
    }),
    ...routesWithV1('/res/v1/videos/search', { GET: videos, POST: videos }),
    ...routesWithV1('/res/v1/images/search', { GET: speak(async () => (await import('./empty.ts')).braveImages) }),
    ...routesWithV1('/res/v1/suggest/search', { GET: speak(async () => (await import('./empty.ts')).braveSuggest) }),
    ...routesWithV1('/res/v1/spellcheck/search', {
      GET: speak(async () => (await import('./empty.ts')).braveSpellcheck),
    }),
    ...routesWithV1('/res/v1/local/place_search', { GET: speak(async () => (await import('./empty.ts')).bravePlaces) }),
    ...routesWithV1('/res/v1/local/pois', { GET: speak(async () => (await import('./empty.ts')).bravePois) }),
    ...routesWithV1('/res/v1/local/descriptions', {
      GET: speak(async () => (await import('./empty.ts')).braveDescriptions),
    }),
  ],
}
