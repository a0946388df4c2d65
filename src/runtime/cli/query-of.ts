import { Rejection } from '../../api/fields/field.ts'
import { ordinaryQuery, readQuery } from '../../api/fields/query.ts'
import { UsageError } from '../config/usage-error.ts'
import type { Call } from './command.ts'

/** The query of a command line: its words, or standard input for `-`. Throws a `UsageError` for one the API refuses. */
export async function queryOf({ shell, arguments: words }: Pick<Call, 'shell' | 'arguments'>): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await shell.input() : words.join(' ')
  if (!text.trim()) throw new UsageError('The query is empty.')
  const query = readQuery(text, ordinaryQuery)
  if (query instanceof Rejection) throw new UsageError(`The query was refused: ${query.message}.`)
  return query
}
