/** What the signatures of thoughts begin with that csp makes, for models that sign in other ways or not at all. */
export const ownSignature = 'csp1:'
