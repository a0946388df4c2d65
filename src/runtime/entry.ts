import { pageReaderArgument } from './page-reader-argument.ts'

// A csp that reads the pages of another one needs nothing of the rest. Only that other one opens a channel to it.
const isPageReader = process.argv[2] === pageReaderArgument && process.send !== undefined
if (isPageReader) (await import('./page-reader.ts')).readPages()
else await import('./command-line.ts')
