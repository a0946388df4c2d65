import { foldedWord, isSpaceless, stemOf } from '@csp/language/words'

/**
 * Words that say the opposite of one another, in the ten languages of the suite: one side, then the other. Behind `~`: with the
 * names in the other order both say the same, as in "A beat B" and "B lost to A".
 */
const table = `
rise rises rose risen rising increase increased increases increasing grew grow grows grown growing climbed jumped surged expanded doubled steigen stieg stiegen gestiegen steigt erhöhte erhöht wuchs wächst gewachsen zunahm zunehmen zugenommen verdoppelt augmenté augmente augmenter augmentation progressé hausse monté grimpé gagné subió subieron subido sube aumentó aumentaron aumentado aumenta creció crecieron mejoró mejoraron subiu subiram aumentou aumentaram aumento cresceu cresceram вырос выросла выросло выросли увеличился увеличилась увеличилось увеличились повысился повысилась повысилось поднялся ارتفع ارتفعت ارتفاع زاد زادت ازداد ازدادت زيادة 增长 上升 上涨 增加 提高 増加 上昇 増えた 増え 上がり 上がっ 値上げ 증가 늘었 늘어 늘었다 올랐 올라 높아져 상승 | fall falls fell fallen falling decrease decreased decreases decreasing declined declines decline dropped drop drops sank shrank shrunk lowered plunged reduced halved lost sinken sank sanken gesunken sinkt fiel fielen gefallen fällt senkte gesenkt verringert schrumpfte zurückging abgenommen halbiert baissé baisse diminué diminue diminuer recul reculé chuté chute descendu bajó bajaron bajado baja disminuyó disminuyeron cayó cayeron descendió empeoró empeoraron caiu caíram diminuiu diminuíram recuou recuaram baixou queda reduziu упал упала упало упали снизился снизилась снизилось снизились сократился сократилась сократилось уменьшился уменьшилась уменьшилось опустился опускалась انخفض انخفضت انخفاض تراجع تراجعت هبط هبطت نقص 下降 下跌 减少 降低 缩短 減少 減った 減り 低下 下落 下がり 下がっ 値下げ 감소 줄었 줄어 내렸 내려 떨어졌 하락 낮아져
more mehr plus davantage más mais больше أكثر 更多 的多 多く 더많 | less fewer weniger moins menos меньше أقل 更少 的少 少なく 더적
before prior vor bevor vorher avant antes до перед раньше قبل 之前 以前 前に の前 이전 전에 | after following nach nachdem danach après después tras después depois após после позже بعد 之后 以后 之後 後に の後 이후 후에 뒤에
earlier sooner früher frühestens  temprano cedo раньше أبكر 提前 早く 일찍 빨리 | later spätestens später  tarde   позже позднее متأخر 推迟 遅れ 遅く 늦게
win won wins beat beats defeated gewinnen gewann gewonnen besiegte siegte gagné battu vaincu ganó ganaron ganado venció derrotó derrotou venceu ganhou победил победила выиграл выиграла выиграли فاز فازت هزم هزمت 战胜 击败 获胜 赢得 勝った 勝ち 勝利 이겼 승리 | lose lost loses verlieren verlor verloren unterlag défaite perdieron perdido perdeu проиграл проиграла проиграли خسر خسرت 败给 输给 落败 負けた 敗れた 敗北 졌다 패배 ~
higher above taller höher oberhalb haut supérieur supérieure mayor superior alto maior выше أعلى فوق 高于 高い 高く 더높 | lower below beneath niedriger unterhalb bas inférieur inférieure menor inferior bajo menor ниже أدنى أقل تحت 低于 低い 低く 더낮
highest hottest höchste höchsten maximum | lowest coldest niedrigste niedrigsten minimum
most meisten | least fewest wenigsten
largest biggest größte größten | smallest kleinste kleinsten
longer lengthened extended länger verlängert verlängerte prolongé allongé alargó prolongó продлил удлинился أطول 延长 延長 늘어났 | shorter shortened kürzer verkürzt verkürzte raccourci réduit acortó redujo сократил أقصر 缩短 短縮 줄어들
larger bigger größer  больше أكبر 大于 大きい | smaller kleiner  меньше أصغر 小于 小さい
faster quicker schneller  быстрее أسرع 更快 速い | slower langsamer  медленнее أبطأ 更慢 遅い
heavier schwerer | lighter leichter
older älter старше | younger jünger младше моложе
warmer hotter wärmer | colder cooler kälter
better improved besser verbessert mejor melhor лучше улучшился 改善 | worse worsened deteriorated schlechter verschlechtert peor pior хуже ухудшился 恶化 悪化
accepted approved adopted passed backed supported angenommen zugestimmt dafür accepté approuvé adopté aceptó aprobó aprobaron aceitou aprovou принял одобрил поддержал وافق  通过 批准 支持 同意 可決 承認 賛成 찬성 승인 통과 가결 | rejected refused opposed vetoed abgelehnt dagegen refusé rejeté rechazó rechazaron rejeitou recusou отклонил отверг رفض رفضت 拒绝 否决 反对 否決 反対 반대 부결 거부
opened opens geöffnet eröffnet ouvert inauguré abrió inauguró abriu inaugurou открыл открыли открылся открылась افتتح افتتحت 开业 开幕 开放 通车 開業 開館 開いた 열었 개장 개통 | closed closes shut geschlossen schließt fermé cerró cerraron fechou encerrou закрыл закрыли закрылся закрылась أغلق أغلقت إغلاق 关闭 停业 閉鎖 閉館 閉店 닫았 폐쇄 폐점
allowed permitted legal erlaubt gestattet autorisé permis permitió permitido permitiu разрешил разрешили سمح مسموح 允许 准许 許可 허용 | banned forbidden prohibited illegal verboten untersagt interdit prohibió prohibido proibiu proibido запретил запретили حظر ممنوع 禁止 禁じ 금지
profit profits gewinn gewinne bénéfice bénéfices beneficio beneficios lucro lucros прибыль ربح أرباح 盈利 利润 黒字 이익 흑자 | loss losses deficit verlust verluste perte pertes pérdida pérdidas prejuízo prejuízos убыток убытки خسارة خسائر 亏损 赤字 손실 적자
bought buys acquired purchased kaufte gekauft erworben acheté acquis compró adquirió comprou adquiriu купил купила купили приобрел приобрела اشترى اشترت 收购 购买 買収 購入 샀다 인수 | sold sells verkaufte verkauft vendu vendió vendeu продал продала продали باع باعت 出售 卖给 売却 販売 팔았 매각 ~
began begins started begonnen begann gestartet commencé débuté empezó comenzó começou iniciou начал началась начался начались بدأ بدأت 开始 開始 始まっ 시작 | ended ends finished stopped endete beendet terminé fini terminó acabó terminou acabou закончил закончилась закончился закончились انتهى انتهت 结束 終了 終わっ 끝났 종료
northern north nördlich norden nord norte север شمال 北部 | southern south südlich süden sud sur sul юг جنوب 南部
eastern east östlich osten est este leste восток شرق 东部 東部 동부 | western west westlich westen ouest oeste запад غرب 西部 서부
hired appointed employed eingestellt engagiert embauché nommé contrató contratou нанял назначил عين وظف 聘用 任命 採用 고용 | fired dismissed sacked entlassen gefeuert licencié despidió demitiu уволил أقال فصل 解雇 解聘 免职 해고
joined beigetreten rejoint | left quit ausgetreten quitté
imports imported importierte importé importó importou импорт واردات 进口 輸入 수입 | exports exported exportierte exporté exportó exportou экспорт صادرات 出口 輸出 수출
succeeded success successful erfolg erfolgreich succès réussi éxito sucesso успех نجح نجاح 成功 성공 | failed failure unsuccessful gescheitert scheiterte misserfolg échec échoué fracasó fracaso fracasso неудача провал فشل 失败 失敗 실패
innocent acquitted unschuldig freigesprochen innocent acquitté inocente absuelto absolvido невиновен بريء 无罪 無罪 무죄 | guilty convicted schuldig verurteilt coupable condamné culpable condenado culpado виновен مذنب 有罪 유죄
confirmed bestätigt bestätigte confirmé confirmó confirmou подтвердил أكد أكدت 证实 确认 確認 확인 | denied bestritt dementiert dementierte nié démenti negó desmintió negou desmentiu опроверг отрицал نفى نفت 否认 否定 부인
alive survived survivors lebt überlebt überlebte survécu sobrevivió sobreviveu выжил выжили نجا 幸存 生存 생존 | dead died killed tot gestorben getötet starb mort tué murió muertos morreu mortos умер погиб погибли مات قتل 死亡 死んだ 사망
healthy gesund | sick ill krank
positive positiv positif positivo положительный إيجابي 阳性 陽性 양성 | negative negativ négatif negativo отрицательный سلبي 阴性 陰性 음성
有效 有効 유효 | 无效 無効 무효
合法 合法 합법 | 非法 违法 違法 불법
majority mehrheit majorité mayoría maioria большинство أغلبية 多数 과반 | minority minderheit minorité minoría minoria меньшинство أقلية 少数 소수`

export interface Opposite {
  /** A pair of sides by its number, and which of the two. */
  readonly pair: number
  readonly side: 0 | 1
}

/** The sides of the pairs that a word is on, by its folded form; in scripts without spaces, by what a text has of them. */
export function oppositesOf(folded: string): readonly Opposite[] {
  return byWord.get(folded) ?? byStem.get(stemOf(folded)) ?? []
}

/** Those of scripts without spaces and of Korean, which are looked for within a text. */
export const unspacedOpposites = new Map<string, readonly Opposite[]>()

/** Whether both sides of a pair say the same once its names change places. */
export function isReversible(pair: number): boolean {
  return reversible.has(pair)
}

/** Whether a word says that something became less: what changed by −5 % fell by 5 %. */
export function isFalling(folded: string): boolean {
  return oppositesOf(folded).some(({ pair, side }) => side === 1 && (pair === 0 || pair === profitPair))
}

const rows = table.trim().split('\n')
const reversible = new Set(rows.flatMap((row, pair) => (row.endsWith('~') ? [pair] : [])))
const profitPair = rows.findIndex((row) => row.startsWith('profit'))
const byWord = new Map<string, readonly Opposite[]>()
const byStem = new Map<string, readonly Opposite[]>()
for (const [pair, row] of rows.entries()) {
  for (const [place, words] of row.replace('~', '').split('|').entries()) {
    const side = place === 0 ? 0 : 1
    for (const word of words.trim().split(/\s+/)) add(word, { pair, side })
  }
}

function add(word: string, opposite: Opposite): void {
  if (isSpaceless(word)) {
    const known = unspacedOpposites.get(word) ?? []
    unspacedOpposites.set(word, [...known, opposite])
    return
  }
  const folded = foldedWord(word)
  byWord.set(folded, [...(byWord.get(folded) ?? []), opposite])
  // Short stems are those of many words.
  const stem = stemOf(folded)
  if (stem.length >= 5) byStem.set(stem, [...(byStem.get(stem) ?? []), opposite])
}
