import { ar } from './pair-pages/ar.ts'
import { de } from './pair-pages/de.ts'
import { en } from './pair-pages/en.ts'
import { es } from './pair-pages/es.ts'
import { fr } from './pair-pages/fr.ts'
import { ja } from './pair-pages/ja.ts'
import { ko } from './pair-pages/ko.ts'
import type { PairPage } from './pair-pages/pair-page.ts'
import { pt } from './pair-pages/pt.ts'
import { ru } from './pair-pages/ru.ts'
import { zh } from './pair-pages/zh.ts'

/** 300 sentences about pages in ten languages. */
export const pairPages: Readonly<Record<string, readonly PairPage[]>> = { en, de, fr, es, pt, ru, ar, zh, ja, ko }
