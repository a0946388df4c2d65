/**
 * The account that is charged. Names of callers without a key only share the queue fairly and are not stored.
 */
export function accountOf(caller: string | undefined): string {
  return caller?.split(':')[0] ?? localAccount
}

/** Commands in a terminal, which have no key. No key can have this name. */
const localAccount = '(local)'
