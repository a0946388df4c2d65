/** The argument by which one csp starts another that reads pages for it. */
export const pageReaderArgument = 'read-pages'
