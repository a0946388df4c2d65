/** A page with what a reader of its Markdown has to see. Nothing is taken from anyone's page. */
export interface StructureCase {
  /** Of what kind it is: `tables`, `code`. */
  readonly set: string
  readonly name: string
  readonly html: string
  readonly url: string
  readonly expect: Expected
}

export interface Expected {
  /** Rows of cells. `*`: anything; `{has} a b`: all of these words. */
  readonly tables?: readonly (readonly string[])[][]
  readonly fences?: readonly { readonly lang: string; readonly code: string }[]
  /** Mark (`-`, `2`, `x`, `o`), depth and text of items. */
  readonly listTree?: readonly (readonly [mark: string, depth: number, text: string])[]
  readonly headings?: readonly string[]
  readonly quotes?: readonly string[]
  /** Powers and indices: one of `right` stands in the text, none of `wrong`. */
  readonly marks?: readonly { readonly right: readonly string[]; readonly wrong: readonly string[] }[]
  /** For each formula the forms that its TeX may have. */
  readonly math?: readonly (readonly string[])[]
  readonly notes?: readonly { readonly mark: string; readonly text: string; readonly before: string }[]
  readonly has?: readonly string[]
  readonly hasNot?: readonly string[]
  /** `null`: none may be told. */
  readonly author?: string | null | undefined
}

export const url = 'https://own.example/post'
