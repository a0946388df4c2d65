import { isIn, type PageBlock } from './blocks.ts'
import type { LikeElements } from './frame.ts'

/** The metadata of a page about its kind, and its address. */
export interface KindSigns {
  readonly url: string
  /** The types of its JSON-LD, deep ones as well, and of its microdata. */
  readonly types: readonly string[]
  readonly openGraph: string
  readonly generator: string
  /** The classes and id of its body and root. */
  readonly bodyNames: string
  readonly title: string
  readonly description: string
  readonly hasAuthor: boolean
  readonly hasDate: boolean
  readonly links: number
  readonly pictures: number
  readonly fields: number
  readonly times: number
}

/** Feature vector for classifying a page. */
export function kindFeatures(signs: KindSigns, blocks: readonly PageBlock[]): readonly number[] {
  const address = addressOf(signs.url)
  const types = signs.types.join(' ')
  const named = `${signs.generator} ${signs.bodyNames}`.toLowerCase()
  const does = (pattern: RegExp, text: string) => Number(pattern.test(text))
  return [
    ...typePatterns.map((pattern) => signs.types.filter((type) => pattern.test(type)).length),
    Number(types === ''),
    ...openGraphTypes.map((type) => Number(signs.openGraph === type)),
    ...namePatterns.map((pattern) => does(pattern, named)),
    ...pathPatterns.map((pattern) => does(pattern, address.path)),
    ...hostPatterns.map((pattern) => does(pattern, address.host)),
    address.path.split('/').filter(Boolean).length,
    Math.max(0, ...address.path.split('/').map((part) => part.split(/[-_]/).length)),
    Number(address.path === '/'),
    ...titlePatterns.map((pattern) => does(pattern, signs.title)),
    Number(signs.hasAuthor),
    Number(signs.hasDate),
    Math.log1p(signs.links),
    Math.log1p(signs.pictures),
    Math.log1p(signs.fields),
    Math.log1p(signs.times),
    ...shapeOf(blocks),
  ]
}

function addressOf(url: string): { readonly host: string; readonly path: string } {
  const parsed = /^https?:\/\/([^/?#]{0,200})([^#]{0,500})/i.exec(url)
  return { host: (parsed?.[1] ?? '').toLowerCase(), path: (parsed?.[2] ?? '').toLowerCase() }
}

const typePatterns: readonly RegExp[] = [
  /Article$|BlogPosting$|^Report$|^Review$|^Recipe$/,
  /^(?:Product|ProductGroup|IndividualProduct|ProductModel)$/,
  /^(?:Offer|AggregateOffer)$/,
  /^(?:ItemList|OfferCatalog)$/,
  /^(?:CollectionPage|SearchResultsPage|Blog)$/,
  /^(?:DiscussionForumPosting|QAPage|Question|Answer|Comment)$/,
  /^FAQPage$/,
  /^(?:TechArticle|APIReference|SoftwareSourceCode|HowTo)$/,
  /^(?:Organization|LocalBusiness|Corporation|Service|SoftwareApplication|WebApplication)$/,
  /^ListItem$/,
  /^(?:Person|ProfilePage)$/,
  /^(?:Event|Course|JobPosting)$/,
  /^AggregateRating$/,
]

const openGraphTypes: readonly string[] = ['article', 'product', 'website', 'product.group', 'og:product', 'object', '']

const namePatterns: readonly RegExp[] = [
  /discourse|phpbb|xenforo|vbulletin|flarum|invision|nodebb|vanilla|mybb|smf|forum|topic|thread/,
  /sphinx|docusaurus|mkdocs|gitbook|readme|vitepress|mintlify|mdbook|nextra|doxygen|jsdoc|docs?\b|wiki/,
  /shopify|woocommerce|magento|bigcommerce|prestashop|commerce/,
  /single-post|post-template|single\b|article|blog-post/,
  /archive|category|taxonomy|tax-|\bblog\b/,
  /template-product|single-product|product-template|\bproduct\b|pdp/,
  /collection|plp|product-list|catalog/,
  /\bhome\b|front-page|page-template|landing/,
  /wordpress|wp-/,
]

const pathPatterns: readonly RegExp[] = [
  /\/(?:products?|p|dp|item|itm|pd|prod|sku|buy)\/|\.p(?:rd)?(?:\?|$)|-p-?\d/,
  /\/(?:collections?|categor(?:y|ies)|c|shop|store|cat|browse|b|department|brand|sale)(?:\/|$|\?)/,
  /forum|thread|topic|viewtopic|\/t\/|\/r\/|\/questions?\/|discussion|community|showthread|comments/,
  /\/(?:docs?|documentation|wiki|reference|api|guide|guides|manual|learn|tutorials?|help|handbook|developers?|support)(?:\/|$|\.)/,
  /\/(?:blogs?|news|articles?|posts?|stories|story|magazine|insights?|resources)(?:\/|$)/,
  /\/20[0-2]\d\/|\d{4}-\d{2}-\d{2}/,
  /\/(?:services?|solutions?|platform|features?|pricing|product|about|company|plans?|software)(?:\/|$)/,
  /\/(?:courses?|jobs?|events?|reviews?|best|top|directory|list|lists|search|tags?|topics|archive|authors?)(?:\/|$|\?)/,
  /\.html?$/,
  /[?&]/,
  /\/collections\/[^/]+\/products\//,
  /best-|top-\d|how-to|what-is|guide|-vs-|why-/,
]

const hostPatterns: readonly RegExp[] = [
  /^(?:www\.)?(?:forums?|community|discuss|discussions?|boards?|answers?|talk|bbs|users)\.|forum|stackexchange|stackoverflow|reddit|quora/,
  /^(?:docs?|developers?|help|support|wiki|learn|api|dev|kb|manual)\.|readthedocs|wikipedia|github\.io|fandom/,
  /^(?:blogs?|news|medium)\.|medium\.com|substack/,
  /^(?:shop|store)\.|amazon|ebay|etsy|walmart|bestbuy/,
]

const titlePatterns: readonly RegExp[] = [
  /\bhow\b|\bwhat\b|\bwhy\b|\bguide\b|\btips\b/i,
  /\bbest\b|\btop \d/i,
  /\bforums?\b|\bcommunity\b|\bthread\b|\bdiscussion\b/i,
  /\bdocs?\b|\bdocumentation\b|\breference\b|\bmanual\b|\bAPI\b/i,
  /\bservices?\b|\bsoftware\b|\bplatform\b|\bsolutions?\b|\bagency\b/i,
  /\bshop\b|\bbuy\b|\bsale\b|\bcollections?\b/i,
  /\bnews\b|\bblog\b|\barchives?\b|\blatest\b/i,
  /[$€£]|\bprice\b/i,
]

const price = /(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|Rs\.?|kr)\s?)\s?\d|\d\s?(?:€|zł|kr\b|USD|EUR)/
const cart =
  /\badd to (?:cart|bag|basket|trolley)\b|\bbuy (?:it )?now\b|\bin den warenkorb\b|\bajouter au panier\b|\bout of stock\b|\bin stock\b/i
const reply = /\breply\b|\breplies\b|\bposts?:|\bjoined\b|\bquote\b|\blikes?\b|\banswers?\b|\bupvote\b|\bmember\b/i
const pitch =
  /\bget started\b|\bbook a\b|\bfree trial\b|\bcontact us\b|\brequest a\b|\bschedule\b|\blearn more\b|\bget a (?:quote|demo)\b|\btrusted by\b|\bour (?:services|team|clients)\b/i
const shopping = /\bfilter\b|\bsort by\b|\bshipping\b|\breturns\b|\breviews?\b|\bquantity\b|\bsize\b/i
const more =
  /\bread more\b|\bcontinue reading\b|\bmin read\b|\bview (?:all|more|details)\b|\bload more\b|\bnext page\b|\bshowing \d/i
const byline =
  /^(?:written |posted |reviewed )?by\b|\bpublished\b|\bupdated\b|\bmin(?:ute)?s? read\b|\babout the author\b|\brelated (?:articles|posts|stories)\b/i
const dated =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2},? (?:19|20)\d\d\b|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,? (?:19|20)\d\d\b|\b20\d\d-\d\d-\d\d\b/i
const manual =
  /^(?:on|in) this (?:page|article)|\bedit (?:this page|on github)\b|^(?:previous|next|prev)\b|\btable of contents\b|\bwas this (?:page|article) helpful\b|\b(?:api )?reference\b|\bquick ?start\b|\bchangelog\b|\bsyntax\b|\bparameters\b/i
const offer =
  /\bapply now\b|\benrol|\btuition\b|\bfaqs?\b|\btestimonials?\b|\bour (?:process|clients|work|approach)\b|\bwhy choose\b|\bcase stud/i
const shown: readonly RegExp[] = [price, cart, reply, pitch, shopping, more, byline, dated, manual, offer]

/** The shape of a page by its blocks. */
function shapeOf(blocks: readonly PageBlock[]): readonly number[] {
  const counts = { words: 0, linked: 0, prose: 0, long: 0, headings: 0, code: 0, main: 0, articles: 0, paragraphs: 0 }
  const found = shown.map(() => 0)
  let [longest, best] = [0, undefined as LikeElements | undefined]
  const groups = new Set<LikeElements>()
  for (const { frame, words, linkedWords, text } of blocks) {
    counts.words += words
    counts.linked += linkedWords
    const own = words - linkedWords
    if (own >= 25) counts.prose += own
    if (own >= 60) counts.long++
    longest = Math.max(longest, own)
    if (/^h[1-6]$/.test(frame.name)) counts.headings++
    if (frame.name === 'pre') counts.code++
    if (frame.name === 'p') counts.paragraphs++
    if (isIn(frame, 'main')) counts.main += words
    if (isIn(frame, 'article')) counts.articles += words
    if (words <= 12)
      shown.forEach((pattern, at) => {
        if (pattern.test(text)) found[at] = (found[at] ?? 0) + 1
      })
    for (let around: typeof frame | undefined = frame; around && !groups.has(around.group); around = around.parent) {
      groups.add(around.group)
      if (around.group.count > 2 && (!best || around.group.words > best.words)) best = around.group
    }
  }
  const { words, linked, prose, long, headings, code, main, articles, paragraphs } = counts
  const all = words || 1
  return [
    Math.log1p(words),
    linked / all,
    prose / all,
    Math.log1p(prose),
    long,
    Math.log1p(headings),
    headings / (blocks.length || 1),
    Math.log1p(code),
    main / all,
    articles / all,
    Math.log1p(paragraphs),
    Math.log1p(longest),
    Math.log1p(blocks.length),
    all / (blocks.length || 1),
    ...found.map((number) => Math.log1p(number)),
    ...(best
      ? [Math.log1p(best.count), best.words / best.count, best.linkedWords / (best.words || 1), best.words / all]
      : [0, 0, 0, 0]),
  ]
}
