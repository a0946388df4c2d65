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

/** How searches are made and scheduled. */
export const searchingFields = {
  model: text('a model name, such as sonnet')
    .default('sonnet')
    .register(about, {
      ...searching,
      hint: 'MODEL',
      help: 'Model that writes: sonnet, haiku, opus or a full name',
    }),
  defaultEffort: choice('fast', 'standard', 'deep', 'text')
    .default('standard')
    .register(about, {
      ...searching,
      hint: 'EFFORT',
      help: "What Claude's and unknown model names mean: fast, standard, deep, or text (no search)",
    }),
  unknownModels: choice('serve', 'refuse')
    .default('serve')
    .register(about, {
      ...searching,
      hint: 'serve|refuse',
      help: 'Unknown model names, such as gpt-4o: served as --default-effort says, or refused',
    }),
  searchModel: text('a model name, such as haiku')
    .default('haiku')
    .register(about, {
      ...searching,
      hint: 'MODEL',
      help: 'Model of lists, and of the search for an answer',
    }),
  answers: choice('auto', 'search', 'pages')
    .default('auto')
    .register(about, {
      ...searching,
      hint: 'auto|search|pages',
      help: "Claude's answers: in one call that searches, or over pages of a list; auto: by their cost",
    }),
  excerpts: choice('auto', 'lines', 'pages', 'none')
    .default('auto')
    .register(about, {
      ...searching,
      hint: 'auto|lines|pages|none',
      help: 'Excerpts, and what answers rest on: pages or lines of the model; auto: pages if read',
    }),
  evidence: choice('report', 'judge', 'off')
    .default('report')
    .register(about, {
      ...searching,
      hint: 'report|judge|off',
      help: 'Compare answers with the pages they cite; judge: ask a model, too',
    }),
  receipts: choice('on', 'off')
    .default('on')
    .register(about, {
      ...searching,
      hint: 'on|off',
      help: 'Whether each written answer leaves a receipt: question, sentences, pages',
    }),
  memory: choice('on', 'off')
    .default('on')
    .register(about, {
      ...searching,
      hint: 'on|off',
      help: 'Whether csp keeps the pages that it sees, and answers from them when no search is possible',
    }),
  instructions: textFile().register(about, { ...searching, hint: 'FILE', help: 'File of instructions for answers' }),
  prompts: textFile().register(about, {
    ...searching,
    hint: 'FILE',
    help: "File of system prompts in place of csp's own, for standard and deep answers",
  }),
  defaultLanguage: languageCode()
    .optional()
    .register(about, {
      ...searching,
      hint: 'LANG',
      help: 'Language of searches that name none: de, pt-br',
    }),
  concurrency: integer(1, 100)
    .default(5)
    .register(about, { ...scheduling, hint: 'N', help: 'Written answers that run at the same time' }),
  rate: pace(1000)
    .default(2)
    .register(about, {
      ...scheduling,
      hint: 'N[/M]',
      help: 'Average searches per second (bursts of 5 s of them, or of M: 2/1); 0 = unlimited',
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
    .register(about, { ...scheduling, hint: 'N', help: 'Searches before a worker is replaced' }),
  sessionContext: choice('clear', 'keep')
    .default('clear')
    .register(about, { ...scheduling, hint: 'clear|keep', help: 'Whether a worker forgets a search before the next' }),
  idleTime: duration(0)
    .default(300)
    .register(about, {
      ...scheduling,
      hint: 'TIME',
      help: 'Stop idle CLI processes after this many seconds; 0 = never (about 300 MB)',
    }),
  warmUp: choice('on', 'off')
    .default('on')
    .register(about, {
      ...scheduling,
      hint: 'on|off',
      help: 'Whether the CLI starts with csp, or with the first search, which then takes a second more',
    }),
}
