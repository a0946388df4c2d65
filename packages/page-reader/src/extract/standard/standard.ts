import type { Document } from '../tree/nodes.ts'
import { standardiseCallouts } from './callouts.ts'
import { standardiseCode } from './code.ts'
import { standardiseLists } from './lists.ts'
import { standardiseMath } from './math.ts'
import { standardisePictures } from './pictures.ts'
import { standardisePowers } from './powers.ts'
import { standardiseTabs } from './tabs.ts'

/**
 * Writes what pages mark up in many ways in one way, before anything else looks at the document: code, powers, the marks of
 * notes. What is read whole, what is read roughly and what is compared later so has the same text. `html` tells cheaply
 * what the document can have.
 */
export function standardise(document: Document, html: string): void {
  // MediaWiki has one in each heading.
  if (html.includes('mw-editsection')) for (const link of document.querySelectorAll('.mw-editsection')) link.remove()
  if (codeMarkup.test(html)) standardiseCode(document)
  if (mathMarkup.test(html)) standardiseMath(document, html)
  if (powerMarkup.test(html)) standardisePowers(document)
  if (listMarkup.test(html)) standardiseLists(document)
  if (html.includes('<img')) standardisePictures(document)
  if (calloutMarkup.test(html)) standardiseCallouts(document)
  if (html.includes('tabpanel')) standardiseTabs(document)
}

const codeMarkup =
  /<(?:pre|code)[\s>]|syntaxhighlighter|code-block|blob-code|CodeMirror|cm-content|view-lines|ace_line/i
const calloutMarkup = /callout|admonition|alert|hint|notice|custom-block|starlight-aside|class="(?:note|warning)/
const listMarkup = /<[ou]l[\s>]/i
const mathMarkup = /<math|math\/tex|katex|mjx-|mathjax|data-(?:la)?tex=|latex|%5c|alt="[^"]{0,20}\\/i
const powerMarkup = /<su[bp][\s>]/i
