/** What a page says, a sentence that says it in another form, and one that says something else by one word. */
export interface NamePair {
  readonly language: string
  readonly kind: 'name' | 'first word' | 'prefix' | 'other in its place'
  readonly page: string
  readonly right: string
  readonly wrong: string
}

/**
 * Ten for each of ten languages, written before the rules were run on them: kind, page, right sentence, wrong sentence. In the
 * kind `other in its place` the page has the wrong word as well, of something else.
 */
const table = `en
name | The bridge at Kettering was designed by Laura Finch in 1987. It was repainted last year. | Laura Finch designed the bridge at Kettering in 1987. | Laura Finch designed the bridge at Wellingborough in 1987.
name | Researchers at the Karolinska Institute found that the enzyme breaks down plastic within days. The work took six years. | Karolinska researchers found that the enzyme breaks down plastic within days. | Researchers at the Pasteur Institute found that the enzyme breaks down plastic within days.
name | The album was recorded in Nashville and produced by T. Bone Hadley. Critics liked it. | Produced by T. Bone Hadley, the album was recorded in Nashville. | The album was recorded in Memphis and produced by T. Bone Hadley.
name | The rocket, built by Isar Aerospace, exploded thirty seconds after it left the pad. No one was hurt. | The rocket built by Isar Aerospace exploded thirty seconds after it left the pad. | The rocket built by Rocket Factory exploded thirty seconds after it left the pad.
first word | Norway has the largest fleet of electric ferries in the world. Most of them sail in the west of the country. | Norway has the world's largest fleet of electric ferries. | Iceland has the world's largest fleet of electric ferries.
first word | Siemens sold the turbine plant to an investor in March. The workers were told by letter. | Siemens sold its turbine plant to an investor in March. | Alstom sold its turbine plant to an investor in March.
prefix | The patients had controlled blood pressure throughout the study. They were seen every month. | The patients had controlled blood pressure throughout the whole study. | The patients had uncontrolled blood pressure throughout the whole study.
prefix | Most of the samples were contaminated when they reached the laboratory. The boxes had been opened. | When they reached the laboratory, most of the samples were contaminated. | When they reached the laboratory, most of the samples were uncontaminated.
other in its place | The second edition of the festival drew more visitors than any other. The third edition was held online. | The second edition of the festival drew more visitors than any other. | The third edition of the festival drew more visitors than any other.
other in its place | The Thames flooded the cellars of the museum twice. The Severn rose as well, but stayed in its bed. | The cellars of the museum were flooded twice by the Thames. | The Severn flooded the cellars of the museum twice.
de
name | Die Orgel in Freiberg wurde von Gottfried Silbermann gebaut und ist heute noch zu hören. Sie hat 44 Register. | Gottfried Silbermann baute die Orgel in Freiberg, die heute noch zu hören ist. | Die Orgel in Rötha wurde von Gottfried Silbermann gebaut und ist heute noch zu hören.
name | Der Fahrer der Straßenbahn bremste am Rathausplatz zu spät, sagte die Polizei in Mannheim. Verletzt wurde niemand. | Nach Angaben der Mannheimer Polizei bremste der Fahrer der Straßenbahn am Rathausplatz zu spät. | Der Fahrer der Straßenbahn bremste am Rathausplatz zu spät, sagte die Polizei in Karlsruhe.
name | Die Brücke über die Donau ist seit Montag gesperrt, weil ein Pfeiler Risse hat. Die Umleitung führt durch den Ort. | Wegen Rissen in einem Pfeiler ist die Brücke über die Donau seit Montag gesperrt. | Die Brücke über die Isar ist seit Montag gesperrt, weil ein Pfeiler Risse hat.
name | Den Preis erhielt die Chemikerin Petra Lindner für ihre Arbeit über Katalysatoren. Er ist mit 20.000 Euro dotiert. | Die Chemikerin Petra Lindner erhielt den Preis für ihre Arbeit über Katalysatoren. | Die Chemikerin Sabine Lindner erhielt den Preis für ihre Arbeit über Katalysatoren.
first word | Österreich erhöht die Maut für schwere Lastwagen zum neuen Jahr. Der Verband der Spediteure protestiert. | Österreich erhöht zum neuen Jahr die Maut für schwere Lastwagen. | Tschechien erhöht zum neuen Jahr die Maut für schwere Lastwagen.
first word | Bosch schließt das Werk für Lenkungen im nächsten Sommer. Die Gewerkschaft will verhandeln. | Bosch schließt im nächsten Sommer das Werk für Lenkungen. | Continental schließt im nächsten Sommer das Werk für Lenkungen.
prefix | Die Prüfer nannten die Bremsen der neuen Züge sicher. Sie hatten ein Jahr lang gemessen. | Nach einem Jahr nannten die Prüfer die Bremsen der neuen Züge sicher. | Die Prüfer nannten die Bremsen der neuen Züge unsicher.
prefix | Der Vertrag mit dem Verein ist befristet und läuft im Juni aus. Über einen neuen wird gesprochen. | Der Vertrag mit dem Verein ist befristet. | Der Vertrag mit dem Verein ist unbefristet.
other in its place | Das dritte Konzert der Reihe war nach zwei Tagen ausverkauft. Für das vierte Konzert gibt es noch Karten. | Nach zwei Tagen war das dritte Konzert der Reihe ausverkauft. | Das vierte Konzert der Reihe war nach zwei Tagen ausverkauft.
other in its place | Die Firma baut ihr neues Lager in Bremen und schafft 80 Stellen. In Kiel hat sie ein Büro. | In Bremen baut die Firma ihr neues Lager und schafft 80 Stellen. | Die Firma baut ihr neues Lager in Kiel und schafft 80 Stellen.
fr
name | Le musée de Grenoble a acheté un tableau de Berthe Morisot lors d'une vente publique. Il sera exposé en mai. | Lors d'une vente publique, le musée de Grenoble a acheté un tableau de Berthe Morisot. | Le musée de Grenoble a acheté un tableau de Suzanne Valadon lors d'une vente publique.
name | L'usine de Dunkerque produira des batteries pour 500 000 voitures par an. Elle emploie déjà 1 200 personnes. | À Dunkerque, l'usine produira des batteries pour 500 000 voitures par an. | L'usine de Douvrin produira des batteries pour 500 000 voitures par an.
name | Le sommet du Cervin a été atteint pour la première fois par Edward Whymper. Quatre hommes moururent à la descente. | Edward Whymper a atteint pour la première fois le sommet du Cervin. | Edward Whymper a atteint pour la première fois le sommet de l'Eiger.
name | La grève des contrôleurs a touché surtout les aéroports de Nice et de Lyon, selon la direction. Elle a duré deux jours. | Selon la direction, la grève des contrôleurs a surtout touché les aéroports de Nice et Lyon. | La grève des contrôleurs a touché surtout les aéroports de Nice et de Bordeaux, selon la direction.
first word | La Belgique a fermé son dernier réacteur ancien au printemps. Deux autres restent en service. | Au printemps, la Belgique a fermé son dernier réacteur ancien. | La Suisse a fermé son dernier réacteur ancien au printemps.
first word | Renault vendra sa participation dans le groupe avant la fin de l'année. Le prix n'est pas connu. | Renault vendra avant la fin de l'année sa participation dans le groupe. | Michelin vendra sa participation dans le groupe avant la fin de l'année.
prefix | Les médecins jugent le traitement efficace chez les enfants de moins de six ans. L'étude continue. | Les médecins jugent ce traitement efficace chez les enfants de moins de six ans. | Les médecins jugent ce traitement inefficace chez les enfants de moins de six ans.
prefix | Le maire a trouvé la décision du préfet acceptable pour la commune. Le conseil doit voter jeudi. | Le maire a trouvé acceptable pour la commune la décision du préfet. | Le maire a trouvé la décision du préfet inacceptable pour la commune.
other in its place | Le deuxième étage de la fusée a cessé de fonctionner après six minutes. Le premier étage est retombé en mer. | Après six minutes, le deuxième étage de la fusée a cessé de fonctionner. | Le premier étage de la fusée a cessé de fonctionner après six minutes.
other in its place | La Loire a débordé dans la nuit et inondé trois villages. La Vienne reste sous surveillance. | Dans la nuit, la Loire a débordé et inondé trois villages. | La Vienne a débordé dans la nuit et inondé trois villages.
es
name | El hospital de Badajoz hizo el primer trasplante de pulmón de la región. El paciente está bien. | En el hospital de Badajoz se hizo el primer trasplante de pulmón de la región. | El hospital de Cáceres hizo el primer trasplante de pulmón de la región.
name | La novela fue traducida al español por Marta Sánchez-Nieves el año pasado. La editorial prepara otra. | Marta Sánchez-Nieves tradujo la novela al español el año pasado. | La novela fue traducida al español por Carmen Montes el año pasado.
name | Los buzos hallaron el ancla del barco cerca de Cartagena a treinta metros de profundidad. Pesa dos toneladas. | Cerca de Cartagena, a treinta metros de profundidad, los buzos hallaron el ancla del barco. | Los buzos hallaron el ancla del barco cerca de Tarragona a treinta metros de profundidad.
name | El contrato con Indra vence en diciembre y no será renovado, dijo el ministerio. Nadie ha recurrido. | El ministerio dijo que el contrato con Indra vence en diciembre y no será renovado. | El contrato con Telefónica vence en diciembre y no será renovado, dijo el ministerio.
first word | Chile produce la mayor parte del litio que compra la empresa. El resto llega por mar. | La mayor parte del litio que compra la empresa se produce en Chile. | Bolivia produce la mayor parte del litio que compra la empresa.
first word | Iberdrola construirá el parque solar junto al embalse. Las obras empiezan en otoño. | Iberdrola construirá junto al embalse el parque solar. | Endesa construirá el parque solar junto al embalse.
prefix | El precio del aceite se mantuvo estable durante todo el verano. Los productores esperan más lluvia. | Durante todo el verano el precio del aceite se mantuvo estable. | El precio del aceite se mantuvo inestable durante todo el verano.
prefix | La comisión consideró legal el cobro de la tasa a los turistas. Los hoteles la llevaron a los jueces. | La comisión consideró que el cobro de la tasa a los turistas era legal. | La comisión consideró ilegal el cobro de la tasa a los turistas.
other in its place | El segundo barco llegó al puerto con los motores averiados. El tercer barco sigue en alta mar. | Con los motores averiados llegó al puerto el segundo barco. | El tercer barco llegó al puerto con los motores averiados.
other in its place | El río Segura recibió más agua que en ningún otro año. El río Júcar está por debajo de la media. | El Segura recibió más agua que en ningún otro año. | El río Júcar recibió más agua que en ningún otro año.
pt
name | A biblioteca de Évora comprou os manuscritos de Florbela Espanca num leilão. Ficarão expostos em junho. | Num leilão, a biblioteca de Évora comprou os manuscritos de Florbela Espanca. | A biblioteca de Évora comprou os manuscritos de Natália Correia num leilão.
name | O submarino foi construído em Itaguaí com tecnologia francesa. Tem lugar para 35 pessoas. | Com tecnologia francesa, o submarino foi construído em Itaguaí. | O submarino foi construído em Niterói com tecnologia francesa.
name | O estudo da Universidade do Minho mostra que as abelhas evitam flores tratadas. Durou três anos. | Segundo o estudo da Universidade do Minho, as abelhas evitam flores tratadas. | O estudo da Universidade do Algarve mostra que as abelhas evitam flores tratadas.
name | A seca esvaziou a represa de Sobradinho e parou as turbinas. Os agricultores pedem ajuda. | A represa de Sobradinho foi esvaziada pela seca, que parou as turbinas. | A seca esvaziou a represa de Itaparica e parou as turbinas.
first word | Moçambique vai exportar mais gás a partir do próximo ano. Os navios já foram encomendados. | A partir do próximo ano, Moçambique vai exportar mais gás. | Angola vai exportar mais gás a partir do próximo ano.
first word | Embraer entregou o primeiro avião a hidrogénio em setembro. Voou durante uma hora. | Em setembro a Embraer entregou o primeiro avião a hidrogénio. | Airbus entregou o primeiro avião a hidrogénio em setembro.
prefix | Os auditores consideraram regular o contrato das obras da ponte. O relatório tem cem páginas. | O contrato das obras da ponte foi considerado regular pelos auditores. | Os auditores consideraram irregular o contrato das obras da ponte.
prefix | A água da praia está própria para banho desde sexta-feira. As análises são feitas todas as semanas. | Desde sexta-feira, a água da praia está própria para banho. | A água da praia está imprópria para banho desde sexta-feira.
other in its place | A terceira fase da obra custou o dobro do previsto. A quarta fase ainda não começou. | O custo da terceira fase da obra foi o dobro do previsto. | A quarta fase da obra custou o dobro do previsto.
other in its place | O Benfica vendeu o avançado por vinte milhões de euros. O Braga ficou com o guarda-redes. | Por vinte milhões de euros, o Benfica vendeu o avançado. | O Braga vendeu o avançado por vinte milhões de euros.
ru
name | Мост через Каму в Перми закрыли на ремонт до осени. Объезд занимает сорок минут. | В Перми до осени закрыли на ремонт мост через Каму. | Мост через Каму в Сарапуле закрыли на ремонт до осени.
name | Роман перевела на русский Наталья Мавлевич, и книга вышла весной. Тираж три тысячи. | На русский роман перевела Наталья Мавлевич, книга вышла весной. | Роман перевела на русский Вера Мильчина, и книга вышла весной.
name | Завод в Череповце выпускает сталь для судов ледового класса. Его построили в пятидесятые годы. | Сталь для судов ледового класса выпускает череповецкий завод. | Завод в Магнитогорске выпускает сталь для судов ледового класса.
name | Экспедиция нашла на берегу Байкала следы древней стоянки. Раскопки продолжат летом. | На берегу Байкала экспедиция нашла следы древней стоянки. | Экспедиция нашла на берегу Ладоги следы древней стоянки.
first word | Казахстан сократил добычу урана на четверть из-за нехватки кислоты. Цены на рынке выросли. | Из-за нехватки кислоты Казахстан сократил добычу урана на четверть. | Узбекистан сократил добычу урана на четверть из-за нехватки кислоты.
first word | Яндекс открыл новый склад рядом с кольцевой дорогой. Там работают роботы. | Яндекс открыл рядом с кольцевой дорогой новый склад. | Сбер открыл новый склад рядом с кольцевой дорогой.
prefix | Врачи назвали состояние пострадавших стабильным после операции. Родных пустили в палату. | После операции врачи назвали состояние пострадавших стабильным. | Врачи назвали состояние пострадавших нестабильным после операции.
prefix | Комиссия признала эти выборы законными и закрыла дело. Жалоб было двенадцать. | Эти выборы комиссия признала законными и закрыла дело. | Комиссия признала эти выборы незаконными и закрыла дело.
other in its place | Второй поезд пришёл на станцию с опозданием на час. Третий поезд отменили. | С опозданием на час пришёл на станцию второй поезд. | Третий поезд пришёл на станцию с опозданием на час.
other in its place | Река Обь вышла из берегов и затопила дачи. Уровень воды в реке Томь не изменился. | Обь вышла из берегов и затопила дачи. | Река Томь вышла из берегов и затопила дачи.
zh
name | 这座桥由建筑师林文静设计,位于宁波市的东部。桥长三百米。 | 位于宁波市东部的这座桥由建筑师林文静设计。 | 这座桥由建筑师林文静设计,位于台州市的东部。
name | 该研究由浙江大学的王晓明教授领导,历时五年。结果发表在期刊上。 | 王晓明教授领导了浙江大学历时五年的该项研究。 | 该研究由浙江大学的陈国强教授领导,历时五年。
name | 比亚迪在匈牙利建设电动汽车工厂,计划雇用三千名工人。当地政府提供补贴。 | 比亚迪计划在匈牙利的电动汽车工厂雇用三千名工人。 | 比亚迪在葡萄牙建设电动汽车工厂,计划雇用三千名工人。
name | 考古队在洛阳发现了一座汉代古墓,墓中有大量陶器。发掘工作仍在继续。 | 考古队在洛阳发现的汉代古墓中有大量陶器。 | 考古队在开封发现了一座汉代古墓,墓中有大量陶器。
first word | 越南去年出口的咖啡比前年多两成。价格也上涨了。 | 去年越南出口的咖啡比前年多两成。 | 印尼去年出口的咖啡比前年多两成。
first word | 华为推出了新的折叠屏手机,电池更大。售价没有公布。 | 华为推出的新折叠屏手机电池更大。 | 小米推出了新的折叠屏手机,电池更大。
prefix | 专家认为这种药物对儿童是有效的。研究还在进行。 | 这种药物对儿童有效,专家这样认为。 | 专家认为这种药物对儿童是无效的。
prefix | 法院认定该合同合法,双方应当履行。判决已经生效。 | 该合同合法,法院认定双方应当履行。 | 法院认定该合同非法,双方应当履行。
other in its place | 第二艘船载着粮食抵达了港口。第三艘船还在海上。 | 载着粮食的第二艘船抵达了港口。 | 第三艘船载着粮食抵达了港口。
other in its place | 长江今年的水位比往年低三米。黄河的水位没有变化。 | 今年长江的水位比往年低三米。 | 黄河今年的水位比往年低三米。
ja
name | この橋は建築家の山口隆が設計し、長崎市の北部にある。長さは三百メートルだ。 | 長崎市の北部にあるこの橋は、建築家の山口隆が設計した。 | この橋は建築家の山口隆が設計し、佐賀市の北部にある。
name | 東北大学の佐藤教授らは新しい電池の材料を開発した。実用化は五年後になる。 | 新しい電池の材料を開発したのは東北大学の佐藤教授らだ。 | 九州大学の佐藤教授らは新しい電池の材料を開発した。
name | トヨタはポーランドの工場でエンジンの生産を増やす。従業員は二千人いる。 | トヨタはエンジンの生産をポーランドの工場で増やす。 | トヨタはハンガリーの工場でエンジンの生産を増やす。
name | 小説は田中美咲が英語に訳し、春に出版された。評判はよい。 | 田中美咲が英語に訳した小説は春に出版された。 | 小説は中村由紀が英語に訳し、春に出版された。
first word | ベトナムは昨年コーヒーの輸出を二割増やした。価格も上がった。 | 昨年ベトナムはコーヒーの輸出を二割増やした。 | インドネシアは昨年コーヒーの輸出を二割増やした。
first word | 日立は鉄道の車両を英国の工場で組み立てる。納入は来年始まる。 | 鉄道の車両を日立は英国の工場で組み立てる。 | 川崎は鉄道の車両を英国の工場で組み立てる。
prefix | 専門家はこの薬が子どもに有効だと考えている。研究は続く。 | この薬は子どもに有効だと専門家は考えている。 | 専門家はこの薬が子どもに無効だと考えている。
prefix | 議会はその支出を必要だと判断した。採決は夜に行われた。 | その支出は必要だと議会は判断した。 | 議会はその支出を不必要だと判断した。
other in its place | 第二便は穀物を積んで港に着いた。第三便はまだ海の上にいる。 | 穀物を積んだ第二便は港に着いた。 | 第三便は穀物を積んで港に着いた。
other in its place | 信濃川の水位は例年より三メートル低い。利根川の水位は変わっていない。 | 例年より三メートル低いのは信濃川の水位だ。 | 利根川の水位は例年より三メートル低い。
ko
name | 이 다리는 건축가 김수진이 설계했으며 여수시 북쪽에 있다. 길이는 삼백 미터다. | 여수시 북쪽에 있는 이 다리는 건축가 김수진이 설계했다. | 이 다리는 건축가 김수진이 설계했으며 목포시 북쪽에 있다.
name | 연세대 박지훈 교수 연구팀은 새로운 배터리 소재를 개발했다. 상용화까지 오 년이 걸린다. | 새로운 배터리 소재를 연세대 박지훈 교수 연구팀이 개발했다. | 연세대 이상민 교수 연구팀은 새로운 배터리 소재를 개발했다.
name | 현대차는 폴란드 공장에서 엔진 생산을 늘린다. 직원은 이천 명이다. | 현대차는 엔진 생산을 폴란드 공장에서 늘린다. | 현대차는 헝가리 공장에서 엔진 생산을 늘린다.
name | 소설은 정미라가 영어로 옮겼고 봄에 출간됐다. 평이 좋다. | 정미라가 영어로 옮긴 소설은 봄에 출간됐다. | 소설은 한유진이 영어로 옮겼고 봄에 출간됐다.
first word | 베트남은 지난해 커피 수출을 이십 퍼센트 늘렸다. 가격도 올랐다. | 지난해 베트남은 커피 수출을 이십 퍼센트 늘렸다. | 인도네시아는 지난해 커피 수출을 이십 퍼센트 늘렸다.
first word | 삼성은 새 접는 전화기를 내놓았고 배터리가 더 크다. 가격은 알려지지 않았다. | 삼성이 내놓은 새 접는 전화기는 배터리가 더 크다. | 샤오미는 새 접는 전화기를 내놓았고 배터리가 더 크다.
prefix | 전문가들은 이 약이 어린이에게 안전하다고 본다. 연구는 계속된다. | 이 약은 어린이에게 안전하다고 전문가들은 본다. | 전문가들은 이 약이 어린이에게 불안전하다고 본다.
prefix | 법원은 그 계약을 합법이라고 판단했다. 판결은 확정됐다. | 그 계약은 합법이라고 법원은 판단했다. | 법원은 그 계약을 불법이라고 판단했다.
other in its place | 두 번째 배는 곡물을 싣고 항구에 도착했다. 세 번째 배는 아직 바다에 있다. | 곡물을 실은 두 번째 배는 항구에 도착했다. | 세 번째 배는 곡물을 싣고 항구에 도착했다.
other in its place | 낙동강의 수위는 예년보다 삼 미터 낮다. 섬진강의 수위는 변하지 않았다. | 예년보다 삼 미터 낮은 것은 낙동강의 수위다. | 섬진강의 수위는 예년보다 삼 미터 낮다.
ar
name | صممت الجسر المهندسة ليلى حداد وهو يقع في شمال مدينة صور. يبلغ طوله ثلاثمئة متر. | يقع الجسر الذي صممته المهندسة ليلى حداد في شمال مدينة صور. | صممت الجسر المهندسة ليلى حداد وهو يقع في شمال مدينة طرابلس.
name | طور فريق من جامعة القاهرة مادة جديدة للبطاريات خلال خمس سنوات. نشرت النتائج في مجلة علمية. | خلال خمس سنوات طور فريق من جامعة القاهرة مادة جديدة للبطاريات. | طور فريق من جامعة أسيوط مادة جديدة للبطاريات خلال خمس سنوات.
name | تبني تويوتا مصنعا للمحركات في بولندا وستوظف ألفي عامل. تدعم الحكومة المشروع. | تبني تويوتا في بولندا مصنعا للمحركات وستوظف ألفي عامل. | تبني تويوتا مصنعا للمحركات في هنغاريا وستوظف ألفي عامل.
name | ترجمت الرواية إلى العربية سامية عزام وصدرت في الربيع. نالت إعجاب القراء. | صدرت في الربيع الرواية التي ترجمتها إلى العربية سامية عزام. | ترجمت الرواية إلى العربية هدى مرمر وصدرت في الربيع.
first word | زادت فيتنام صادرات القهوة بمقدار الخمس في العام الماضي. ارتفعت الأسعار أيضا. | في العام الماضي زادت فيتنام صادرات القهوة بمقدار الخمس. | زادت كولومبيا صادرات القهوة بمقدار الخمس في العام الماضي.
first word | أرامكو تبيع حصتها في المصفاة قبل نهاية السنة. لم يعلن السعر. | قبل نهاية السنة تبيع أرامكو حصتها في المصفاة. | أدنوك تبيع حصتها في المصفاة قبل نهاية السنة.
prefix | وصف الأطباء حالة الجرحى بأنها مستقرة بعد العملية. سمح لأهلهم بالزيارة. | بعد العملية وصف الأطباء حالة الجرحى بأنها مستقرة. | وصف الأطباء حالة الجرحى بأنها غير مستقرة بعد العملية.
prefix | اعتبرت المحكمة العقد قانونيا وأمرت بتنفيذه. الحكم نهائي. | أمرت المحكمة بتنفيذ العقد واعتبرته قانونيا. | اعتبرت المحكمة العقد غير قانوني وأمرت بتنفيذه.
other in its place | وصلت السفينة الثانية إلى الميناء محملة بالقمح. السفينة الثالثة ما زالت في البحر. | محملة بالقمح وصلت السفينة الثانية إلى الميناء. | وصلت السفينة الثالثة إلى الميناء محملة بالقمح.
other in its place | انخفض منسوب نهر الفرات ثلاثة أمتار عن المعتاد. أما نهر دجلة فلم يتغير منسوبه. | انخفض منسوب الفرات ثلاثة أمتار عن المعتاد. | انخفض منسوب نهر دجلة ثلاثة أمتار عن المعتاد.`

export const namePairs: readonly NamePair[] = [...table.matchAll(/^(\w\w)\n((?:.*\|.*\n?)+)/gm)].flatMap(
  ([, language = '', rows = '']) =>
    rows
      .trim()
      .split('\n')
      .map((row) => {
        const [kind = '', page = '', right = '', wrong = ''] = row.split(' | ')
        return { language, kind: kind as NamePair['kind'], page, right, wrong }
      }),
)
