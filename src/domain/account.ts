/**
 * The account that is charged. Names of callers without a key only share the queue fairly and are not stored.
 */
export function accountOf(caller: string | undefined): string {
  return caller?.split(':')[0] ?? localAccount
}

/** Commands in a terminal, which have no key. No key can have this name. */
const localAccount = '(local)'

/** Whether an account may search still, with the names of all keys: that of a key that was removed may not. */
export function isAdmitted(account: string, keys: readonly string[]): boolean {
  const admitted = keys.length === 0 ? ['anonymous'] : keys.map(accountOf)
  return account === 'local' || admitted.includes(account)
}
