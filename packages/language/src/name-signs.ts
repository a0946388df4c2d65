import { regionNames } from './regions.ts'

/**
 * By what letters can be told to be a name where there are no capital letters. Each is certain rather than complete, and none of
 * them is enough alone: another name has to stand in the same place.
 */
interface Signs {
  /** A kind of thing behind what it is called. */
  readonly kinds: RegExp
  /** With one of these a word is one of many: `私立大学`. */
  readonly generic: RegExp
  /** Letters of a whole name of a person. */
  readonly person: RegExp | undefined
  /** Letters of a name where one of `titles` is behind it. */
  readonly titled: RegExp | undefined
  readonly titles: RegExp | undefined
}

export type CaselessLanguage = 'zh' | 'ja' | 'ko'

const places: Readonly<Record<string, string>> = {
  zh: `北京 上海 天津 重庆 广州 深圳 成都 武汉 杭州 南京 西安 苏州 宁波 青岛 大连 沈阳 哈尔滨 长春 郑州 洛阳 开封 济南 合肥 福州 厦门 昆明 贵阳 南宁
    兰州 银川 西宁 拉萨 太原 石家庄 呼和浩特 乌鲁木齐 海口 南昌 长沙 温州 台州 台北 高雄 河北 河南 山西 陕西 山东 江苏 浙江 安徽 福建 江西 湖北
    湖南 广东 广西 海南 四川 贵州 云南 甘肃 青海 宁夏 新疆 西藏 吉林 辽宁 黑龙江 东京 大阪 京都 首尔 釜山 平壤 河内 曼谷 孟买 新德里 迪拜 德黑兰
    巴格达 开罗 莫斯科 基辅 华沙 柏林 慕尼黑 汉堡 维也纳 布拉格 布达佩斯 巴黎 里昂 伦敦 曼彻斯特 爱丁堡 都柏林 马德里 巴塞罗那 里斯本 罗马 米兰
    威尼斯 雅典 日内瓦 苏黎世 布鲁塞尔 阿姆斯特丹 哥本哈根 斯德哥尔摩 奥斯陆 赫尔辛基 纽约 华盛顿 波士顿 芝加哥 旧金山 洛杉矶 西雅图 休斯敦 多伦多
    温哥华 悉尼 墨尔本 欧洲 亚洲 非洲 北美 南美 长江 黄河 珠江 莱茵河 多瑙河 尼罗河 亚马逊`,
  ja: `東京 大阪 京都 横浜 名古屋 神戸 札幌 仙台 広島 福岡 川崎 北海道 青森 岩手 宮城 秋田 山形 福島 茨城 栃木 群馬 埼玉 千葉 神奈川 新潟 富山 石川
    福井 山梨 長野 岐阜 静岡 愛知 三重 滋賀 兵庫 奈良 和歌山 鳥取 島根 岡山 山口 徳島 香川 愛媛 高知 佐賀 長崎 熊本 大分 宮崎 鹿児島 沖縄 北京
    上海 香港 台北 ソウル 釜山 バンコク ハノイ ムンバイ デリー ドバイ カイロ モスクワ ワルシャワ ベルリン ミュンヘン ハンブルク ウィーン プラハ
    ブダペスト パリ リヨン ロンドン マンチェスター ダブリン マドリード バルセロナ リスボン ローマ ミラノ アテネ ジュネーブ チューリッヒ
    ブリュッセル アムステルダム コペンハーゲン ストックホルム オスロ ヘルシンキ ニューヨーク ワシントン ボストン シカゴ サンフランシスコ ロサンゼルス
    シアトル トロント シドニー メルボルン ヨーロッパ アジア アフリカ 九州 四国`,
  ko: `서울 부산 대구 인천 광주 대전 울산 세종 경기도 강원도 충청북도 충청남도 전라북도 전라남도 경상북도 경상남도 제주 수원 창원 성남 용인 청주 전주
    천안 포항 여수 목포 순천 강릉 춘천 평양 도쿄 오사카 교토 베이징 상하이 홍콩 타이베이 방콕 하노이 뭄바이 두바이 카이로 모스크바 바르샤바 베를린
    뮌헨 함부르크 프라하 부다페스트 런던 맨체스터 더블린 마드리드 바르셀로나 리스본 로마 밀라노 아테네 제네바 취리히 브뤼셀 암스테르담
    코펜하겐 스톡홀름 오슬로 헬싱키 뉴욕 워싱턴 보스턴 시카고 샌프란시스코 로스앤젤레스 시애틀 토론토 시드니 멜버른 유럽 아시아 아프리카`,
  ar: `القاهرة الإسكندرية أسوان دمشق حلب بغداد الموصل البصرة بيروت الرياض جدة الدوحة المنامة مسقط صنعاء الخرطوم طرابلس تونس الرباط مراكش
    طهران أنقرة إسطنبول القدس لندن باريس برلين فيينا روما مدريد برشلونة لشبونة أثينا جنيف بروكسل أمستردام موسكو كييف وارسو براغ بودابست
    نيويورك واشنطن شيكاغو بوسطن طوكيو بكين شنغهاي سيول بانكوك نيودلهي مومباي سيدني أوروبا آسيا أفريقيا`,
  hi: `दिल्ली मुंबई कोलकाता चेन्नई बेंगलुरु हैदराबाद पुणे अहमदाबाद जयपुर लखनऊ कानपुर पटना भोपाल इंदौर वाराणसी लंदन पेरिस बर्लिन वियना रोम मैड्रिड मॉस्को
    न्यूयॉर्क वाशिंगटन शिकागो टोक्यो बीजिंग शंघाई सिडनी यूरोप अफ्रीका`,
  th: `กรุงเทพ เชียงใหม่ ภูเก็ต ขอนแก่น ลอนดอน ปารีส เบอร์ลิน เวียนนา โรม มาดริด มอสโก นิวยอร์ก วอชิงตัน ชิคาโก โตเกียว โอซากา ปักกิ่ง เซี่ยงไฮ้ โซล ซิดนีย์ ยุโรป แอฟริกา`,
}

const byLanguage = new Map<string, ReadonlySet<string>>()

/** Names of countries, large towns and parts of countries. */
export function placeNames(language: string): ReadonlySet<string> {
  const known = byLanguage.get(language)
  if (known) return known
  const own = places[language]
  if (own === undefined) return regionNames(language)
  const names = new Set([...regionNames(language), ...own.split(/\s+/)])
  byLanguage.set(language, names)
  return names
}

/** With letters that write foreign names in Chinese. */
const transcribed =
  /^[阿埃艾安奥巴贝本比彼博布查达戴丹德迪蒂丁杜多厄恩尔法费弗夫福盖格古哈海汉赫亨霍基吉加佳杰金卡凯坎科克孔库拉莱兰劳勒雷里利林琳龙隆卢鲁伦罗洛马玛迈麦曼梅米密莫默穆纳奈内尼涅努诺欧帕佩皮普奇齐乔丘切琼荣瑞若萨塞桑瑟森沙舍史士斯松苏索塔泰坦汤特提图托瓦威韦维温文沃乌伍西希锡肖谢辛休雅亚扬耶伊因尤约泽扎詹珍朱兹佐茨伯勃珀顿逊柏黎赖·•]{3,}$/
const chineseSurname =
  '赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹喻苏潘葛范彭鲁韦马方俞任袁柳唐罗薛雷贺倪汤滕殷毕郝安常傅康伍余顾孟黄穆萧尹姚邵汪毛戴宋庞熊纪舒屈项董梁杜阮蓝闵贾江颜郭梅林钟徐邱骆高夏蔡田胡凌霍万柯卢莫房丁邓洪崔龚程陆翁段侯刘叶白龙蒲赖廖曾关易'
const japaneseSurname =
  `佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 松本 井上 木村 斎藤 斉藤 清水 山崎 池田 橋本 阿部 石川 山下
  中島 前田 藤田 小川 後藤 岡田 長谷川 村上 近藤 石井 坂本 遠藤 青木 藤井 西村 福田 太田 三浦 藤原 岡本 松田 中川 中野 原田 小野 田村 竹内 金子 和田
  中山 石田 上田 森田 酒井 柴田 宮崎 横山 宮本 内田 高木 安藤 谷口 大野 丸山 今井 河野 藤本 村田 武田 上野 杉山 増田 小島 小山 大塚 千葉 久保 松井 野口
  菅原 木下 野村 松尾 菊地 佐野 大西 杉本 新井 浜田 古川 水野 小松 島田 桜井 高田 山内 西田 川口 北村 安田 五十嵐 川村 吉村 松浦 田口`
    .split(/\s+/)
    .join('|')
const koreanSurname =
  '김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥'

const signs: Readonly<Record<CaselessLanguage, Signs>> = {
  zh: {
    kinds:
      /^.{2,}(?:大[学學]|[学學]院|公司|集[团團]|[银銀]行|机[场場]|[医醫]院|博物[馆館]|[图圖]书[馆館]|俱[乐樂]部|共和[国國]|王[国國]|帝[国國]|出版社|通[讯訊]社|电视台|[日时晚]报|协会|联盟|[议議]会|[国國]民?党)$|^.{2,}[市省县縣州郡镇鎮乡鄉区區岛島江河湖湾灣峡党黨桥橋寺奖獎族]$/u,
    generic:
      /^(?:[这那该本某各全此其新老大小旧两三几一另每]|当地|地方|国家|国立|公立|私立|外国|跨国|国际|中央|社会|科技|汽车|石油|保险|上市|分|母|子|总|商业|投资|工业|农业|少数|原住|执政|反对|[东西南北]部|沿海|山|城|郊|市)+(?:大[学學]|[学學]院|公司|集[团團]|[银銀]行|机[场場]|[医醫]院|.)$/u,
    person: new RegExp(`^[${chineseSurname}][\\p{Script=Han}]{2}$`, 'u'),
    titled: new RegExp(`^(?:[${chineseSurname}][\\p{Script=Han}]{0,2})$`, 'u'),
    titles:
      /^(?:先生|女士|小姐|教授|博士|总[统理裁]|[主部市省校院社]长|主席|书记|将军|法官|律师|医生|老师|导演|记者|议员|公主|王子|皇帝)/u,
  },
  ja: {
    kinds:
      /^株式会社.|^.{2,}(?:大学|学院|会社|銀行|空港|病院|神社|高校|学園|新聞|放送|鉄道|電力|製[作菓薬鉄]所?|工業|重工|自動車|交通|バス|商事|物産|建設|証券|航空|研究所|協会|連盟|グループ|ホール)$|^.{2,}[市県州町村区府島川湖駅党寺城橋]$/u,
    generic:
      /^(?:[この同両各全某新旧大小一二三]|私立|国立|公立|県立|市立|地元|地方|外国|国際|中央|商業|株式|有限|合同|親|子|総合|国|外資系|大手|中小|.*の)+(?:大学|学院|会社|銀行|空港|病院|高校|学園|新聞|放送|鉄道|.)$/u,
    person: new RegExp(`^(?:${japaneseSurname})[\\p{Script=Han}\\p{Script=Hiragana}]{0,3}$`, 'u'),
    titled: /^[\p{Script=Han}\p{Script=Katakana}ー・]{2,12}$/u,
    titles: /^(?:氏|さん)/u,
  },
  ko: {
    kinds: /^.{2,}(?:대학교|대학|은행|그룹|전자|공항|병원|신문|방송|협회|연맹)$|^.{2,}[시군구도강산섬역당]$/u,
    generic:
      /^(?:(?:이|그|한|두|각|새|큰|작은|대|소|국립|사립|공립|지방|외국|국제|중앙|지역|여자|종합|상업|투자)+(?:대학교|대학|은행|그룹|공항|병원|신문|방송|.)|.*(?:도시|다시|역시|잠시|즉시|동시|일시|정도|제도|지도|태도|속도|온도|포도|친구|지구|연구|도구|입구|요구|건강|최강|계산|생산|재산|예산|우산|유산|등산|사당|식당|담당|해당|정당|성당|상당|구역|지역|영역|번역|통역|무역|현역|해군|공군|육군|장군)|.*(?:라도|에도|서도|해도|아도|어도|지도|는데도))$/u,
    person: undefined,
    titled: new RegExp(`^[${koreanSurname}]\\p{Script=Hangul}{2}$`, 'u'),
    titles:
      /^\s?(?:씨|교수|박사|대통령|총리|장관|의원|대표|회장|사장|감독|선수|시장|판사|변호사|기자|총장|위원장|목사|작가|배우|가수)(?!\p{Script=Hangul}{3})/u,
  },
}

/** Words that are only written so. */
const noTranscription =
  /^(?:马拉松|麦克风|比基尼|卡路里|尼古丁|歇斯底里|迪斯科|萨克斯|海洛因|巴士|奥林匹克|基金|坦克|雷达|桑拿|沙拉|吉他|大夫|海里)$/
const dotted = /\p{Script=Han}[·•]\p{Script=Han}/u

/** Whether letters are a name by themselves, or by what stands behind them. */
export function isNameByLetters(letters: string, behind: string, language: CaselessLanguage): boolean {
  const { kinds, generic, person, titled, titles } = signs[language]
  if (beginsWithPlace(letters, language)) return true
  if (language === 'zh' && (dotted.test(letters) || (transcribed.test(letters) && !noTranscription.test(letters))))
    return true
  if (language === 'ja' && /^[\p{Script=Katakana}ー]+・[\p{Script=Katakana}ー・]+$/u.test(letters)) return true
  if (person?.test(letters)) return true
  if (titles?.test(behind) && titled?.test(letters)) return true
  return [letters, letters + kindOf(behind)].some((one) => kinds.test(one) && !generic.test(one))
}

/** `東京`, `東京電力`, `南ドイツ`. */
function beginsWithPlace(letters: string, language: CaselessLanguage): boolean {
  const names = placeNames(language)
  const from = /^[東西南北东].{2}/.test(letters) && !names.has(letters.slice(0, 2)) ? 1 : 0
  for (let to = from + 2; to <= letters.length; to++)
    if (names.has(letters.slice(from, to))) return to === letters.length || !ofPlace.test(letters)
  return false
}

/** People and things of a place: `德国总理`. */
const ofPlace =
  /(?:总[统理裁]|首相|大統領|[主首]席|市[長长]|知事|政府|[人軍军民語语的製产産系側方内外]|대통령|총리|정부|사람|인|군)$/

/** Whether letters may be a name, where another one stands in their place: most rows of katakana, and of two letters, are words. */
export function mayBeName(letters: string, language: CaselessLanguage): boolean {
  if (language === 'zh') return transcribed.test(`${letters}·`) && !noTranscription.test(letters)
  return language === 'ja' && /^[\p{Script=Katakana}ー・]{3,}$/u.test(letters)
}

/** What is behind a name and belongs to it: `市`. */
export function kindBehind(letters: string, behind: string, language: CaselessLanguage): string {
  const kind = kindOf(behind)
  const { kinds, generic } = signs[language]
  return kinds.test(letters + kind) && !generic.test(letters + kind) ? kind : ''
}

function kindOf(behind: string): string {
  return behindKind.exec(behind)?.[0] ?? ''
}

const behindKind =
  /^(?:大[学學]|公司|[银銀]行|[市省县縣州镇区區岛島県町村川江河湖駅]|(?:대학교|대학|은행|그룹|공항|병원|시|군|구|강)(?!\p{Script=Hangul}{2}))/u

/** Whether an Arabic word is a name where the word before, folded, says of what: `مدينة طرابلس`, not `مدينة كبيرة`. */
export function isNameOfKind(kind: string, word: string): boolean {
  const adjective = arabicKinds.get(kind)
  if (adjective === undefined || word.length < 3 || arabicOther.test(word)) return false
  return word.startsWith('ال') || !adjective.test(word)
}

/** Each with the endings of what may tell more of it. */
const arabicKinds: ReadonlyMap<string, RegExp> = new Map([
  ...'مدينة جامعة شركة جزيرة محافظة ولاية بحيرة مقاطعة مملكة امارة بلدة قرية'
    .split(' ')
    .map((kind) => [kind, /(?:ة|ت|ه|ها|ى)$/] as const),
  ...'نهر مطار جبل نادي بنك مستشفى'.split(' ').map((kind) => [kind, /(?:ي|ت|ه|ها|ا|ى)$/] as const),
])
/** Verbs, and words that stand behind any thing. */
const arabicOther =
  /^(?:[يت].*|كبير|صغير|جديد|قديم|طويل|قصير|عام|خاص|واحد|كبرى|اخرى|عند|على|الى|عن|من|في|ذات|شمال|جنوب|شرق|غرب|وسط|قرب|هناك|حيث|منذ|بعد|قبل|كان|كانت|التي|الذي|الى)$/
