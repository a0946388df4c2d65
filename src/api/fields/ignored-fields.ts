/** Those of the named fields that the caller set. `false` and empty text ask for nothing, so they count as unset. */
export function ignoredFields<Input extends object>(
  input: Input,
  names: readonly (keyof Input & string)[],
): readonly string[] {
  return names.filter((name) => input[name] !== undefined && input[name] !== false && input[name] !== '')
}
