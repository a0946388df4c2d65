import { memoryArgument } from '../storage/page-memory/protocol.ts'
import { pageReaderArgument } from './page-reader-argument.ts'

// A csp that reads the pages of another one needs nothing of the rest. Only that other one opens a channel to it.
const isPageReader = process.argv[2] === pageReaderArgument && process.send !== undefined
// A thread of csp's own has no more to do either.
const isMemory = !Bun.isMainThread && process.argv.includes(memoryArgument)
if (isPageReader) (await import('./page-reader.ts')).readPages()
else if (isMemory) (await import('./memory-thread.ts')).keepMemory()
else await import('./command-line.ts')
