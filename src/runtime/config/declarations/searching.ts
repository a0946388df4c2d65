import {
  about,
  choice,
  duration,
  integer,
  languageCode,
  pace,
  searchCommands,
  text,
  textFile,
} from '../setting-types.ts'

const searching = { group: 'Searching', commands: searchCommands } as const
const scheduling = { group: 'Searching', commands: ['connect'] } as const

/** Settings of searches and of their scheduling. */
export const searchingFields = {
  model: text('a model name, such as sonnet')
    .default('sonnet')
    .register(about, {
      ...searching,
      hint: 'MODEL',
      help: 'Model that writes answers: sonnet, haiku, opus or a full name',
    }),
  defaultEffort: choice('fast', 'standard', 'deep', 'text')
    .default('standard')
    .register(about, {
      ...searching,
      hint: 'EFFORT',
      help: "Effort for Claude's and unknown model names: fast, standard, deep, or text (no search)",
    }),
  unknownModels: choice('serve', 'refuse')
    .default('serve')
    .register(about, {
      ...searching,
      hint: 'serve|refuse',
      help: 'Serve unknown model names, such as gpt-4o, by --default-effort, or refuse them',
    }),
  searchModel: text('a model name, such as haiku')
    .default('haiku')
    .register(about, {
      ...searching,
      hint: 'MODEL',
      help: 'Model that searches, for lists and for answers',
    }),
  answers: choice('auto', 'search', 'pages')
    .default('auto')
    .register(about, {
      ...searching,
      hint: 'auto|search|pages',
      help: 'Claude answers in one call that searches, or from pages of a list; auto: decides by cost',
    }),
  excerpts: choice('auto', 'lines', 'pages', 'none')
    .default('auto')
    .register(about, {
      ...searching,
      hint: 'auto|lines|pages|none',
      help: 'Take excerpts from pages, or from lines the model writes. auto: pages, if allowed',
    }),
  evidence: choice('report', 'judge', 'off')
    .default('report')
    .register(about, {
      ...searching,
      hint: 'report|judge|off',
      help: 'Compare answers with the pages they cite. judge: also ask a model',
    }),
  receipts: choice('on', 'off')
    .default('on')
    .register(about, {
      ...searching,
      hint: 'on|off',
      help: 'Keep a receipt of each written answer: question, sentences, pages',
    }),
  memory: choice('on', 'off')
    .default('on')
    .register(about, {
      ...searching,
      hint: 'on|off',
      help: 'Keep the pages that csp sees, and answer from them when no search is possible',
    }),
  instructions: textFile().register(about, { ...searching, hint: 'FILE', help: 'File with instructions for answers' }),
  prompts: textFile().register(about, {
    ...searching,
    hint: 'FILE',
    help: "File with system prompts that replace csp's own, for standard and deep answers",
  }),
  defaultLanguage: languageCode()
    .optional()
    .register(about, {
      ...searching,
      hint: 'LANG',
      help: 'Language of searches that do not name one: de, pt-br',
    }),
  concurrency: integer(1, 100)
    .default(5)
    .register(about, { ...scheduling, hint: 'N', help: 'Most written answers at the same time' }),
  rate: pace(1000)
    .default(2)
    .register(about, {
      ...scheduling,
      hint: 'N[/M]',
      help: 'Most searches per second on average, in bursts of 5 s or of M (2/1); 0 = unlimited',
    }),
  timeout: duration(1)
    .default(120)
    .register(about, {
      ...searching,
      hint: 'TIME',
      help: 'Longest time for one search: 90, 90s, 2m',
      commands: [...searchCommands, 'demo', 'setup'],
    }),
  maxSessionSearches: integer(1, 10_000)
    .default(20)
    .register(about, { ...scheduling, hint: 'N', help: 'Start a fresh CLI process after this many searches' }),
  sessionContext: choice('clear', 'keep')
    .default('clear')
    .register(about, {
      ...scheduling,
      hint: 'clear|keep',
      help: 'Clear the memory of a CLI process between searches, or keep it',
    }),
  idleTime: duration(0)
    .default(300)
    .register(about, {
      ...scheduling,
      hint: 'TIME',
      help: 'Stop CLI processes that were idle this long; 0 = never (about 300 MB)',
    }),
  warmUp: choice('on', 'off')
    .default('on')
    .register(about, {
      ...scheduling,
      hint: 'on|off',
      help: 'Start the CLI together with csp. off: with the first search, which takes a second longer',
    }),
}
