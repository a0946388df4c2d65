import { oneLine } from '@csp/lib/text'
import { countWords } from './blocks/blocks.ts'
import type { Document } from './tree/nodes.ts'

/** A page with more text than this has something to read beside what asks for consent. In characters. */
export const maxConsent = 4000

/** Whether a page shows nothing but that something is not there. */
export function saysMissing(document: Document, text: string, url: string): boolean {
  // Some pages are about that.
  if (countWords(text) >= maxMissing || isMissingAddress(url)) return false
  const headings = [...document.querySelectorAll('title, h1, h2')].slice(0, 4)
  return headings.some((heading) => namesMissing(heading.textContent ?? ''))
}

/** Whether sites send readers to such an address in place of pages that are not there. */
export function isMissingAddress(url: string): boolean {
  return /[/._-](?:404|(?:page-?)?not-?found|error-?404)(?:[/._?#-]|$)/i.test(url.slice(0, 500))
}

/** In words: a page that is not there may name others. */
export const maxMissing = 80

/** Whether a heading, or a part of it beside the name of the site, says that and nothing else. */
function namesMissing(heading: string): boolean {
  return oneLine(heading.slice(0, 300))
    .split(/\s?[|·•–—:!?.…，。！]\s?|\s-\s|,\s/)
    .some(
      (part) =>
        missing.test(part) ||
        /^(?:(?:http |error |fehler |erreur |erro |errore |ошибка )?404|404 (?:error|not found|fehler))$/i.test(part),
    )
}

/** `the page` and `not found`, with what may stand between and around them. One line a language. */
const missing = new RegExp(
  [
    String.raw`(?:sorry )?(?:404 )?(?:the |this |that |your )?(?:requested )?(?:page|content|article|file|url|document|resource)(?: that)?(?: you (?:requested|(?:\w+ ){1,4}for))? (?:(?:(?:was|is|has|could|does|did|were)(?:n['’]t| not)?|can(?:['’]t| ?not)?) )?(?:not |no longer )?(?:be )?(?:been )?(?:found|exists?|available|removed)(?: here| anymore| any more| or .{1,30})?`,
    `(?:sorry )?(?:we )?(?:can(?:['’]t|not)|couldn['’]t|could not) find (?:that|this|the|your|what)(?: page)?(?: (?:you['’]re|you are|you were) looking for)?|not found|nothing (?:was )?found(?: here)?|nothing here`,
    `(?:die |diese )?(?:angeforderte |gesuchte |gewünschte )?(?:seite|inhalt|artikel)(?: wurde| konnte| existiert| ist)?(?: leider)? (?:nicht|nicht mehr) (?:gefunden(?: werden)?|verfügbar|vorhanden)|(?:die |diese )?seite (?:existiert nicht|gibt es nicht)(?: mehr)?`,
    String.raw`(?:la |cette )?(?:page|article)(?: demandée| recherchée| que vous \S+)? (?:est )?(?:introuvable|non trouvée?|n['’]existe (?:pas|plus)|n['’]a pas été trouvée?|n['’]est plus disponible)`,
    String.raw`(?:la |esta )?página(?: solicitada| que \S+)? (?:no (?:se (?:ha )?)?(?:encontrad[ao]|existe|encuentra|disponible)|no encontrada)`,
    `(?:a |esta )?página (?:não (?:foi )?(?:encontrada|existe|disponível))`,
    `(?:la )?pagina (?:richiesta )?(?:non (?:è stata )?(?:trovata|esiste|disponibile))`,
    `(?:de |deze )?pagina (?:is )?(?:niet gevonden|bestaat niet(?: meer)?|kan niet worden gevonden)`,
    `sidan (?:kunde inte hittas|hittades inte|finns inte(?: längre)?)|siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke|ikke funnet)|sivua ei (?:löydy|löytynyt)`,
    `(?:ta )?strona (?:nie (?:została )?(?:znaleziona|istnieje))|nie znaleziono strony|stránka (?:nenalezena|nebyla nalezena|neexistuje|sa nenašla)|(?:az )?oldal nem található|pagina nu (?:a fost găsită|există)`,
    `sayfa bulunamadı|(?:такая |эта |запрашиваемая )?страница не (?:найдена|существует)|сторінку не знайдено|η σελίδα δεν βρέθηκε`,
    `(?:お探しの|指定された)?(?:ページ|記事)(?:が|は)?(?:見つかりません(?:でした)?|存在しません)|(?:您访问的|抱歉)?页面(?:不存在|未找到|没有找到)|找不到(?:该|此)?(?:页面|頁面|網頁)|(?:頁面|網頁)不存在|페이지를 찾을 수 없습니다`,
    `الصفحة غير موجودة|הדף לא נמצא|không tìm thấy trang|halaman tidak ditemukan|ไม่พบหน้า(?:ที่คุณต้องการ)?`,
  ]
    .map((words) => `^(?:${words})$`)
    .join('|'),
  'iu',
)

/** The share of the words of a text that stand in lines about consent: of all lines where there are none. */
export function consentShare(text: string): number {
  let [all, about] = [0, 0]
  for (const line of text.split('\n')) {
    const words = countWords(line)
    all += words
    if (consentWord.test(line)) about += words
  }
  return all === 0 ? 1 : about / all
}

/** Lists of purposes stand between such lines. */
export const minConsent = 0.3

const consentWord =
  /before you continue|bevor sie (?:fortfahren|weiter)|avant de continuer|antes de continuar|\bcookies?\b|consent|\bprivacy\b|personal(?:i[sz]ed)? (?:ads?|data|content|advert)|accept all|reject all|einwillig|zustimm|datenschutz|akzeptier|consentement|traceurs|confidentialité|tout accepter|consentimiento|privacidad|aceptar|consenso|informativa|accetta|toestemming|samtyck|samtykke|zgod[aęy]|prywatnoś|privacidade|consentimento|soubor\w* cookie|çerez|согласи|クッキー|同意|쿠키/iu

/**
 * Whether a page shows nothing but the question whether its readers consent to cookies. Many articles have that question
 * beside them, and some are about it.
 */
export function isConsentWall(document: Document, text: string, url: string): boolean {
  const share = consentShare(text)
  if (share >= minConsent && document.querySelector(wallMarks)) return true
  if (share < 0.6 || countWords(text) < minWall || aboutConsent.test(url) || hasOtherSentence(text)) return false
  const headings = [...document.querySelectorAll('title, h1, h2')]
    .slice(0, 4)
    .map((each) => oneLine((each.textContent ?? '').slice(0, 300)))
  const asks = [oneLine(text.slice(0, 300)), ...headings].some((said) => wallTitle.test(said))
  const answers = [
    ...document.querySelectorAll('button, input[type="submit" i], input[type="button" i], a, [role="button"]'),
  ].slice(0, maxAnswers)
  return (
    asks &&
    answers.some((each) =>
      acceptWord.test(oneLine((each.getAttribute('value') ?? each.textContent ?? '').slice(0, 60))),
    )
  )
}

/** A short article stands beside a long question. */
function hasOtherSentence(text: string): boolean {
  return text.split('\n').some((line) => !consentWord.test(line) && countWords(line) >= minSentence)
}

const minSentence = 12

/** In words: an empty page may have a banner, too. */
const minWall = 10

/** What only a page of that kind has: where the answer goes to. */
const wallMarks =
  'form[action*="consent.google."], form[action*="consent.youtube."], form[action*="ollectConsent"], input[name="originalDoneUrl"], iframe[src*="//consent."], iframe[src*="privacy-mgmt.com/"], iframe[src*="cmp.inmobi.com/"]'

const wallTitle =
  /^(?:\W{0,3}(?:before you continue|your privacy(?: choices| is important|$)|we (?:value|respect|care about) your privacy|privacy (?:and|&) cookies|cookie (?:consent|settings|wall)|consent|we (?:and our (?:\d+ )?partners )?(?:use|need|store|process)|this (?:site|website) uses|bevor sie|ihre privatsphäre|wir (?:benötigen|brauchen|und unsere)|zustimmung|mit werbung|weiter mit|cookies? (?:zustimmen|akzeptieren)|avant (?:de continuer|d['’]accéder)|votre vie privée|nous respectons|le respect de votre|(?:continuer|poursuivre) sans|antes de continuar|tu privacidad|valoramos|su privacidad|a sua privacidade|prima di continuare|la tua privacy|rispettiamo|jouw privacy|uw privacy|voordat je|innan du|din integritet|zanim przejdziesz|twoja prywatność|szanujemy))/iu

const acceptWord =
  /^(?:i )?(?:accept|agree|allow|consent|got it|yes)|akzeptier|zustimm|einverstanden|accepter|j['’]accepte|aceptar|acepto|aceitar|accett|akkoord|accepteren|acceptera|godk|godta|zgadzam|akceptuj|přijmout|elfogad|kabul|принять|согласен|同意|동의/iu

const maxAnswers = 300
const aboutConsent = /cookie|privacy|datenschutz|gdpr|rgpd|confidentialite|privacidad/i

/** Whether pages at this address ask for consent, wherever else it leads. */
export function isConsentAddress(url: string): boolean {
  return consentAddress.test(url.slice(0, 500))
}

const consentAddress =
  /^https?:\/\/(?:[\w-]{1,40}\.){0,3}?(?:consent|guce|cmp|privacy-?gate|privacywall|myprivacy|cookiewall)\.|^https?:\/\/[^/?#]{1,200}\/(?:[^?#]{0,200}\/)?(?:collectconsent|consent|cookie-?wall|cookie-?consent|privacy-?(?:gate|wall)|zustimmung)(?:[/?#.]|$)/i
