/** Fields that the configuration gives every body; `null` takes one out. */
export type BodyFields = Readonly<Record<string, unknown>>

/** A body with these fields last, but for those that the model has refused. */
export function withBodyFields<Body extends object>(
  body: Body,
  fields: BodyFields | undefined,
  without?: ReadonlySet<string>,
): Body {
  if (!fields) return body
  const own = Object.entries(fields).filter(([name]) => !without?.has(name))
  // JSON has no undefined.
  return { ...body, ...Object.fromEntries(own.map(([name, value]) => [name, value ?? undefined])) }
}
