/** The beginning of the signatures that csp makes for thoughts, for models that sign in other ways or not at all. */
export const ownSignature = 'csp1:'
