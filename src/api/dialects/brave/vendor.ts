import { defineVendor, withV1 } from '../../vendor.ts'
import { braveError } from './error.ts'

export const brave = defineVendor({
  name: 'brave',
  title: 'Brave Search',
  base: '/res/v1',
  formatError: braveError,
  prefixes: withV1('/res'),
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/res/v1/web/search'), { GET: 'braveWeb', POST: 'braveWeb' }],
    [withV1('/res/v1/news/search'), { GET: 'braveNews', POST: 'braveNews' }],
    [withV1('/res/v1/llm/context'), { GET: 'braveContext', POST: 'braveContext' }],
    [withV1('/res/v1/chat/completions'), { POST: 'braveAnswers' }],
    [withV1('/res/v1/summarizer/search'), { GET: 'braveSummarizer' }],
    [withV1('/res/v1/videos/search'), { GET: 'braveVideos', POST: 'braveVideos' }],
    [withV1('/res/v1/images/search'), { GET: 'braveImages' }],
    [withV1('/res/v1/suggest/search'), { GET: 'braveSuggest' }],
    [withV1('/res/v1/spellcheck/search'), { GET: 'braveSpellcheck' }],
    [withV1('/res/v1/local/place_search'), { GET: 'bravePlaces' }],
    [withV1('/res/v1/local/pois'), { GET: 'bravePois' }],
    [withV1('/res/v1/local/descriptions'), { GET: 'braveDescriptions' }],
  ],
})
