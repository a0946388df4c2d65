import { z } from 'zod'
import { pageKinds } from '../../domain/page.ts'
import type { SiteName } from '../sites/sites.ts'

/** What the reader is given. */
export interface Extraction {
  readonly body: Uint8Array<ArrayBuffer>
  /** As the site sent it, in lower case; empty when it sent none. */
  readonly contentType: string
  /** Where the body comes from: relative links start there. */
  readonly url: string
  readonly mainContentOnly: boolean
  /** Only the words and the dates, as in `PageRequest`. */
  readonly isRough?: boolean | undefined
  /** Whose form of the page the body is. Absent: it is the page itself. */
  readonly site?: SiteName | undefined
}

/** What is in the body of a page, in every format. All texts are cleaned of what acts or hides. */
export const extractedSchema = z.object({
  /** Without parameters: what the body is, which may be other than what the site said. */
  contentType: z.string(),
  contents: z.object({ markdown: z.string(), text: z.string(), html: z.string() }),
  title: z.string().optional(),
  description: z.string().optional(),
  author: z.string().optional(),
  siteName: z.string().optional(),
  publishedAt: z.string().optional(),
  /** The rule that found the date. */
  publishedBy: z.string().optional(),
  modifiedAt: z.string().optional(),
  language: z.string().optional(),
  image: z.string().optional(),
  links: z.array(z.string()),
  /** What kind of page it is; a PDF or a text has none. */
  kind: z.enum(pageKinds).optional(),
})
/** A page as the reader found it in a body. */
export type Extracted = Readonly<z.infer<typeof extractedSchema>>

/** What a page says about itself. */
export type Metadata = Omit<Extracted, 'contentType' | 'contents' | 'links' | 'kind'>
