/**
 * Units by what they measure: `kind factor | symbols | words`, with a hyphen for a space in a word. The factor is to the
 * first of the kind (`+`: prefixes from nano to tera go with it); amounts of one kind are compared. Symbols are read as
 * they are written, words in any case. One may mean several units (`m`, `pound`, `$`). That CLDR's names are among them is
 * tested: its packages are larger than csp, and `Intl` knows neither watts nor tonnes.
 */
export const unitTable = `
length 1+ | m м م | meter meters metre metres metern metro metros metri metr metrów метр метра метров метры متر مترا امتار مترات 米 公尺 メートル 미터 मीटर
length 1000 | كم | キロ 公里 킬로 किमी 千米
length 0.01 | سم | 公分 厘米
length 0.001 | مم | 毫米
length 1e-6 | мкм | micron microns 微米
length 1e-9 | nm нм | 纳米
length 0.0254 | | inch inches zoll pouce pouces pulgada pulgadas polegada polegadas дюйм дюйма дюймов بوصة 英寸 インチ 인치 इंच
length 0.3048 | ft | foot feet fuß pied pieds pie pies pé pés фут фута футов قدم قدما 英尺 フィート 피트 फ़ुट
length 0.9144 | yd | yard yards yarda yardas jarda jardas verges ярд ярда ярдов ياردة 码 ヤード 야드 गज
length 1609.344 | mi | mile miles meile meilen milla millas milha milhas миля мили миль ميل ميلا اميال 英里 マイル 마일 मील
length 1852 | nm nmi | nautical-mile nautical-miles seemeile seemeilen 海里 海浬 해리
mass 1+ | g г ج | gram grams gramme grammes gramm gramo gramos grama gramas grammi грамм грамма граммов غرام غراما غرامات جرام جراما جرامات 克 グラム 그램 ग्राम
mass 1000 | كغ كلغ кг | kilo kilos quilo quilos quilograma quilogramas кило 公斤 千克 キロ 킬로 किलो किग्रा
mass 1e-3 | мг mcg | 毫克
mass 1e-6 | mcg мкг | 微克
mass 1e6+ | t т | ton tons tonne tonnes tonnen tonelada toneladas tonnellate тонна тонны тонн طن طنا اطنان 吨 公吨 トン 톤 टन
mass 453.59237 | lb lbs | pound pounds pfund livre livres libra libras фунт фунта фунтов رطل رطلا ارطال 磅 ポンド 파운드 पाउंड
mass 28.349523 | oz | ounce ounces unze unzen once onces onza onzas onça onças унция унции унций اونصة اونصات 盎司 オンス 온스 आउंस
mass 6350.29318 | | stone stones 英石 ストーン
volume 0.001+ | l L л ل ℓ | liter liters litre litres litern litro litros litri литр литра литров لتر لترا لترات 升 公升 リットル 리터 लीटर
volume 1e-6 | cc | 毫升
volume 3.785411784 | gal | 
volume 0.003785411784 | gal | gallon gallons gallone gallonen galón galones galão galões галлон галлона галлонов غالون 加仑 ガロン 갤런
volume 0.158987 | bbl | barrel barrels barril barriles barris baril barils баррель барреля баррелей برميل برميلا 桶 バレル 배럴
volume 2.95735e-5 | | fluid-ounce
area 10000 | ha га | hectare hectares hektar hectárea hectáreas hectare гектар гектара гектаров هكتار هكتارا هكتارات 公顷 ヘクタール 헥타르 हेक्टेयर
area 4046.8564 | ac | acre acres acker акр акра акров فدان 英亩 エーカー 에이커 एकड़
time 1+ | s sec с | second seconds sekunde sekunden seconde secondes segundo segundos ssegundo ssegundos secondi секунда секунды секунд ثانية ثوان 秒 秒钟 秒間 초 सेकंड
time 60 | min мин | minute minutes minuten minuto minutos minuti минута минуты минут دقيقة دقائق 分 分钟 分間 분 मिनट
time 3600 | h hr hrs ч | hour hours stunde stunden heure heures hora horas ore час часа часов ساعة ساعات 小时 時間 시간 घंटा घंटे
time 86400 | | day days tag tage tagen jour jours día días dia dias giorni день дня дней сутки суток يوم يوما ايام 天 日間 일간 दिन
time 604800 | wk wks | week weeks woche wochen semaine semaines semana semanas settimane неделя недели недель اسبوع اسبوعا اسابيع 周 星期 週間 주 주간 주일 सप्ताह
months 1 | | month months monat monate monaten mois mes meses mês mesi месяц месяца месяцев شهر شهرا اشهر شهور 个月 個月 か月 ヶ月 カ月 개월 달 महीने महीना
months 12 | yr yrs | year years jahr jahre jahren an ans année années año años ano anos anni год года лет سنة سنوات عام عاما اعوام 年 年间 年間 년 साल वर्ष
data 8+ | B Б | byte bytes octet octets байт байта بايت 字节 バイト 바이트 बाइट
data 1e6 | Mb |
data 1e9 | Gb |
data/time 1+ | bps |
data 1+ | bit бит | bit bits бит бита битов بت 比特 ビット 비트 बिट
power 1+ | W Вт | watt watts vatio vatios ватт ватта واط واطا 瓦 瓦特 ワット 와트 वाट
power 735.5 | hp PS л.с. | horsepower pferdestärken 马力 馬力 마력
energy 1+ | J Дж | joule joules julio julios джоуль джоуля джоулей جول 焦耳 焦 ジュール 줄
energy 3600+ | Wh | wattstunde wattstunden wattheures 瓦时 ワット時 와트시
energy 4.184+ | cal кал | calorie calories kalorie kalorien caloría calorías caloria calorias калория калории калорий سعرة 卡路里 卡 カロリー 칼로리
voltage 1+ | V В | volt volts voltio voltios вольт вольта فولت 伏 伏特 ボルト 볼트
current 1+ | A А | ampere amperes amp amps amperio amperios ампер ампера امبير 安培 アンペア 암페어
frequency 1+ | Hz Гц | hertz герц герца هرتز 赫兹 赫 ヘルツ 헤르츠
pressure 1+ | Pa Па | pascal pascals паскаль باسكال 帕 帕斯卡 パスカル 파스칼
pressure 100000+ | bar | bars бар بار 巴 バール 바
pressure 6894.757 | psi |
pressure 133.322 | mmHg |
pressure 101325 | atm | atmospheres 气压 気圧 기압
sound 1 | dB дБ | decibel decibels dezibel décibel décibels decibelios decibelio decibéis децибел децибела ديسيبل 分贝 デシベル 데시벨
force 1+ | N Н | newton newtons ньютон ньютона نيوتن 牛顿 ニュートン 뉴턴
percent 1 | % ٪ | percent pc pct per-cent prozent pour-cent por-ciento por-cento процент процента процентов في-المئة في-المائة بالمئة بالمائة パーセント 퍼센트 प्रतिशत
percent 10 | | 割 할
percent 0.1 | ‰ | per-mille promille
points 1 | pp п.п. %-Punkte %-Punkt | percentage-point percentage-points point points punkte punkten punkt prozentpunkt prozentpunkte prozentpunkten points-de-pourcentage punto puntos puntos-porcentuales punto-porcentual ponto pontos ponto-percentual pontos-percentuais процентный-пункт процентных-пункта процентных-пунктов процентного-пункта пункт пункта пунктов п-п نقطة-مئوية نقاط-مئوية نقطة نقاط 百分点 个百分点 個百分點 ポイント 포인트
angle 1 | ° |
speed 1 | m/s |
speed 0.277778 | km/h kmh км/ч | stundenkilometer stundenkilometern
speed 0.44704 | mph |
speed 0.514444 | kn | knot knots knoten nœuds nudos nós узел узла узлов 节 ノット 노트
people 1 | | 人 名 명
cases 1 | | 件 건
vehicles 1 | | 台 辆 輛 대
times 1 | | 回 次 번 회
age 1 | | 歳 岁 歲 세 살
votes 1 | | 票 표
money:USD 1 | US$ USD | us-dollar us-dollars u.s.-dollars dólares-estadounidenses dollars-américains доллар-сша доллара-сша долларов-сша 美元 米ドル
money:USD 0.01 | ¢ |
money:CAD 1 | C$ CA$ CAD | canadian-dollar canadian-dollars kanadische-dollar 加元 カナダドル
money:AUD 1 | A$ AU$ AUD | australian-dollar australian-dollars australische-dollar 澳元 豪ドル
money:NZD 1 | NZ$ NZD | new-zealand-dollar new-zealand-dollars neuseeland-dollar 新西兰元 NZドル
money:SGD 1 | S$ SGD | singapore-dollar singapore-dollars singapur-dollar 新加坡元 シンガポールドル
money:HKD 1 | HK$ HKD | hong-kong-dollar hong-kong-dollars 港元 港币 香港ドル
money:TWD 1 | NT$ TWD | new-taiwan-dollar new-taiwan-dollars 新台币
money:$ 1 | $ | dollar dollars dólar dólares dollari доллар доллара долларов доллары دولار دولارا دولارات ドル 달러 डॉलर
money:EUR 1 | € EUR | euro euros eur евро يورو 欧元 ユーロ 유로 यूरो
money:EUR 0.01 | | cent cents centime centimes céntimos cêntimos цент центов
money:USD 0.01 | | cent cents centavos цент центов
money:GBP 1 | £ GBP | pound pounds pfund livre livres libra libras pounds-sterling фунт фунта фунтов فجنيه جنيه 英镑 ポンド 파운드
money:JPY 1 | ¥ JPY JP¥ | yen iene ienes yenes иена иены иен ين 円 日元 엔
money:CNY 1 | ¥ CNY RMB CN¥ | yuan yuans yuanes юань юаня юаней يوان 元 人民币 人民元 위안
money:KRW 1 | ₩ KRW | вона вон 韩元 ウォン 원
money:INR 1 | ₹ INR Rs | rupee rupees rupien roupies rupias рупия рупий روبية 卢比 ルピー 루피 रुपये रुपए रुपया
money:BRL 1 | R$ BRL | reais reales-brasileños 雷亚尔 レアル 헤알
money:RUB 1 | ₽ RUB руб | ruble rubles rubel roubles rublos рубль рубля рублей روبل 卢布 ルーブル 루블
money:CHF 1 | CHF Fr. SFr. | franken francs-suisses francos-suizos francos-suíços franc francs francos франк франка франков فرنك 瑞士法郎 法郎 スイスフラン フラン 프랑
money:AED 1 | AED | dirham dirhams дирхам дирхама дирхамов درهم درهما دراهم 迪拉姆 ディルハム 디르함
money:SAR 1 | SAR | riyal riyals ريال ريالا ريالات 里亚尔
money:TRY 1 | ₺ TRY TL | lira liras lire лира лиры лир ليرة 里拉 リラ 리라
money:kr 1 | kr SEK NOK DKK | kronor krona kroner krone kronen крона кроны крон 克朗 クローネ 크로나
money:PLN 1 | zł PLN | zloty złoty złotych złote злотых
money:peso 1 | MXN ARS | peso pesos песо بيزو 比索 ペソ 페소
money:ZAR 1 | ZAR | rand
temperature 1 | °C ℃ C° °م | degrees-celsius degree-celsius grad-celsius degré-celsius degrés-celsius grado-celsius grados-celsius grau-celsius graus-celsius градус-цельсия градуса-цельсия градусов-цельсия درجة-مئوية درجات-مئوية 摄氏度 डिग्री-सेल्सियस
fahrenheit 1 | °F ℉ °ف | degrees-fahrenheit degree-fahrenheit grad-fahrenheit degré-fahrenheit degrés-fahrenheit grado-fahrenheit grados-fahrenheit grau-fahrenheit graus-fahrenheit градус-фаренгейта градуса-фаренгейта градусов-фаренгейта درجة-فهرنهايت 华氏度 डिग्री-फ़ारेनहाइट
kelvin 1 | K | kelvin кельвин кельвина 开尔文 ケルビン 켈빈
degrees 1 | ° | degree degrees grad degré degrés grado grados grau graus градус градуса градусов درجة درجات 度 도 डिग्री`

/** Prefixes by their symbols, and as words that go before a unit. */
export const prefixTable = `
1e-9 | n н | nano нано نانو ナノ 나노 纳 नैनो
1e-6 | µ μ u мк | micro mikro микро ميكرو マイクロ 마이크로 微 माइक्रो
0.001 | m м | milli mili милли ملي مللي ミリ 밀리 毫 मिली
0.01 | c с | centi zenti санти سنتي センチ 센티 厘 सेंटी
0.1 | d д | deci dezi деци ديسي デシ 데시
100 | h г | hecto hekto гекто ヘクト 헥토
1000 | k к | kilo quilo кило كيلو キロ 킬로 千 किलो
1e6 | M М | mega mega мега ميغا ميجا 兆 メガ 메가 मेगा
1e9 | G Г | giga гига غيغا جيجا 吉 ギガ 기가 गीगा
1e12 | T Т | tera тера تيرا 太 テラ 테라 टेरा
1e15 | P П | peta пета بيتا 拍 ペタ 페타`
