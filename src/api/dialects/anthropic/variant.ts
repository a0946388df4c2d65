import { z } from 'zod'

/**
 * A field whose shape depends on what it says of itself. `choose` names the schema to hold it to, so that a mistake is
 * told of the shape that was meant; a union can only guess which one that was.
 */
export function variantField<Schema extends z.ZodType>(choose: (type: string | undefined) => Schema) {
  return z.looseObject({ type: z.string().nullish() }).transform((value, context): z.output<Schema> => {
    const read = choose(value.type ?? undefined).safeParse(value)
    if (read.success) return read.data
    for (const issue of read.error.issues) context.addIssue({ ...issue })
    return z.NEVER
  })
}
