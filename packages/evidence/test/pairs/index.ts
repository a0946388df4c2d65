import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import type { PairPage } from './pair-page.ts'
import { pt } from './pt.ts'
import { ru } from './ru.ts'
import { zh } from './zh.ts'

/** 300 sentences about pages in ten languages. */
export const pairPages: Readonly<Record<string, readonly PairPage[]>> = { en, de, fr, es, pt, ru, ar, zh, ja, ko }
