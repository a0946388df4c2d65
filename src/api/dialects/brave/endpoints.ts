export { braveAnswers } from './answers.ts'
export { braveContext } from './context.ts'
export {
  braveDescriptions,
  braveImages,
  bravePlaces,
  bravePois,
  braveSpellcheck,
  braveSuggest,
  braveVideos,
} from './empty.ts'
export { braveNews } from './news.ts'
export { braveSummarizer } from './summarizer.ts'
export { braveWeb } from './web.ts'
