import { z } from 'zod'
import { pageKinds } from '../page.ts'
import type { SiteName } from '../sites/sites.ts'

export type { SiteName } from '../sites/sites.ts'

/** A body to read, and how to read it. */
export interface Extraction {
  readonly body: Uint8Array<ArrayBuffer>
  /** As the site sent it, in lower case; empty when it sent none. */
  readonly contentType: string
  /** The address of the body, where relative links start. */
  readonly url: string
  readonly mainContentOnly: boolean
  /** Only the words and the dates, as in `PageRequest`. */
  readonly isRough?: boolean | undefined
  /** The site that offers this form of the page. Absent: the body is the page itself. */
  readonly site?: SiteName | undefined
}

/** The content of a page in every format, with its metadata. All texts are cleaned of anything that acts or hides. */
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
  /** The kind of page. Absent for a PDF or a text. */
  kind: z.enum(pageKinds).optional(),
  /** Whether only subscribers see all of it, as the page says, and its site has not sent the rest. */
  isPaywalled: z.boolean().optional(),
  /** Where a page leads that has nothing of its own; it has no content then. */
  leadsTo: z.string().optional(),
})
/** A page as the reader found it in a body. */
export type Extracted = Readonly<z.infer<typeof extractedSchema>>

/** The metadata of a page: title, author, dates and so on. */
export type Metadata = Omit<Extracted, 'contentType' | 'contents' | 'links' | 'kind' | 'isPaywalled' | 'leadsTo'>
