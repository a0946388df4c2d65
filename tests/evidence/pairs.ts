/** A sentence and the words of a page. */
export type Pair = readonly [sentence: string, page: string]

export interface Pairs {
  /** The page says it in another way. */
  readonly right: readonly Pair[]
  /** One thing in each is not what the page says. */
  readonly wrong: readonly Pair[]
}

export const pairs: Readonly<Record<string, Pairs>> = {
  en: {
    right: [
      [
        'The city has about 1.2 million inhabitants.',
        'According to the census the city had 1,200,000 inhabitants in 2021, more than any other in the region.',
      ],
      [
        'Prices rose by 5–10% within a year.',
        'Within one year prices rose by between 5 and 10 per cent, the statistics office said.',
      ],
      [
        'Output doubled, reaching twice the level of 2019.',
        'The factory doubled its output; it has reached two times the level of 2019.',
      ],
      [
        'Half of the students (50%) passed, and a quarter failed.',
        'Of the students, 50 percent passed the exam while 25 percent failed it.',
      ],
      [
        'The trial began on the 3rd of March 2021 and lasted 2½ months.',
        'It began on March 3, 2021. The trial lasted two and a half months in all.',
      ],
      [
        'Müller‘s firm paid US$4.5bn for the company.',
        'Mueller & Sons bought the company for $4.5 billion. It was the largest deal that the firm of Müller has made.',
      ],
      [
        'The rover weighs 899 kg (1,982 lb) and landed in Gale Crater in Aug. 2012.',
        'Curiosity, a rover weighing 899 kilograms (1,982 pounds), landed in Gale Crater on 6 August 2012.',
      ],
      [
        "O'Brien said the plan was 'dead on arrival'.",
        'Asked about the plan, Senator O’Brien said that it was “dead on arrival” and left the room.',
      ],
      [
        'The temperature fell to -12.5 °C at 6 p.m.',
        'At 18:00 the temperature had fallen to −12.5 degrees Celsius at the airport.',
      ],
      ['Dr. Smith et al. studied 3,000 patients in the U.S.', 'Smith and colleagues studied 3000 patients in the US.'],
    ],
    wrong: [
      ['The city has about 1.4 million inhabitants.', 'According to the census the city had 1,200,000 inhabitants.'],
      ['Prices rose by 5–15% within a year.', 'Within one year prices rose by between 5 and 10 per cent.'],
      ['The trial began on 4 March 2021 in London.', 'The trial began in London on March 3, 2021.'],
      ['The firm paid $4.5 million for the company.', 'The firm bought the company, and paid $4.5 billion for it.'],
      ['The rover landed in Gale Crater in August 2013.', 'The rover landed in Gale Crater on 6 August 2012.'],
      [
        'Senator O’Brien said the plan was “ready to go”.',
        'Asked about the plan, Senator O’Brien said that it was “dead on arrival”.',
      ],
      ['About 35% of the students passed the exam.', 'Of the students, 53 percent passed the exam.'],
      ['Two thirds of the voters agreed with the plan.', 'One third of the voters agreed with the plan.'],
    ],
  },
  de: {
    right: [
      ['Rund 1,2 Mio. Menschen leben in der Stadt.', 'In der Stadt leben 1.200.000 Menschen, so viele wie nie zuvor.'],
      [
        'Die Miete stieg um 5 bis 10 Prozent auf 12,50 €/m².',
        'Um 5–10 % stieg die Miete; sie liegt nun bei 12,50 Euro pro Quadratmeter.',
      ],
      [
        'Zwei Drittel der Befragten stimmten zu, ein Viertel lehnte ab.',
        'Zugestimmt haben zwei Drittel der Befragten; ein Viertel der Befragten lehnte ab.',
      ],
      [
        'Die Ausstellung öffnet am 1. Okt. 2025 um 10 Uhr.',
        'Ab dem 01.10.2025, 10:00 Uhr, ist die Ausstellung geöffnet.',
      ],
      [
        'Jürgen Große sagte, das sei „ein Schritt in die richtige Richtung“.',
        'Das sei »ein Schritt in die richtige Richtung«, sagte Jürgen Grosse der Zeitung.',
      ],
      [
        'Der Umsatz hat sich auf 3,4 Mrd. Euro verdoppelt.',
        'Das Unternehmen verdoppelte den Umsatz von 1,7 auf 3,4 Milliarden Euro.',
      ],
      [
        'Die dreiköpfige Jury wählte im Jahr 1999 elf Werke aus.',
        'Eine dreiköpfige Jury hat 1999 insgesamt 11 Werke ausgewählt.',
      ],
      ['Der Turm ist 157,38 m hoch.', 'Mit einer Höhe von 157,38 Metern ist der Turm der höchste des Landes.'],
    ],
    wrong: [
      ['Rund 1,3 Mio. Menschen leben in der Stadt.', 'In der Stadt leben 1.200.000 Menschen, so viele wie nie zuvor.'],
      ['Die Miete stieg um 8 Prozent.', 'Um 5 bis 7 Prozent stieg die Miete im letzten Jahr.'],
      ['Die Ausstellung öffnet am 1. November 2025.', 'Ab dem 01.10.2025 ist die Ausstellung geöffnet.'],
      ['Der Umsatz lag bei 3,4 Mio. Euro.', 'Das Unternehmen hatte einen Umsatz von 3,4 Milliarden Euro.'],
      ['Der Turm ist 175,38 m hoch.', 'Mit einer Höhe von 157,38 Metern ist der Turm der höchste des Landes.'],
      [
        'Jürgen Große sagte, das sei „ein schwerer Fehler der Regierung“.',
        'Das sei »ein Schritt in die richtige Richtung«, sagte Jürgen Große der Zeitung.',
      ],
      ['Drei Viertel der Befragten stimmten zu.', 'Zugestimmt haben zwei Drittel der Befragten.'],
      ['Die Jury wählte 1998 elf Werke aus.', 'Die Jury hat 1999 insgesamt 11 Werke ausgewählt.'],
    ],
  },
  fr: {
    right: [
      ['La ville compte 1,2 million d’habitants.', 'Avec 1 200 000 habitants, la ville est la deuxième du pays.'],
      [
        'Les prix ont augmenté de 5 à 10 % en 2023.',
        'En 2023, les prix ont augmenté de 5 à 10 pour cent selon l’institut.',
      ],
      [
        "L'exposition ouvre le 1er octobre 2025 à 10 h.",
        'Ouverture de l’exposition : 1 octobre 2025, 10h00, au musée.',
      ],
      [
        'Le président a parlé d’une « victoire historique pour le peuple ».',
        "C'est “une victoire historique pour le peuple”, a déclaré le président.",
      ],
      [
        'Le tiers des élèves et la moitié des enseignants ont répondu.',
        'Ont répondu : un tiers des élèves et la moitié des enseignants de l’école.',
      ],
      [
        'Le chantier a coûté 2,5 Md€ et duré quatre ans.',
        'Le coût du chantier est de 2,5 milliards d’euros; il a duré 4 ans.',
      ],
      ['Léopold Sédar Senghor fut élu en sept. 1960.', 'En septembre 1960, Léopold Sédar Senghor fut élu président.'],
      ['La tour mesure 330 m.', 'La tour mesure 330 mètres depuis la pose d’une nouvelle antenne.'],
    ],
    wrong: [
      ['La ville compte 2,1 millions d’habitants.', 'Avec 1 200 000 habitants, la ville est la deuxième du pays.'],
      ['Les prix ont augmenté de 15 % en 2023.', 'En 2023, les prix ont augmenté de 5 à 10 pour cent.'],
      ["L'exposition ouvre le 11 octobre 2025.", 'Ouverture de l’exposition le 1er octobre 2025 au musée.'],
      [
        'Le président a parlé d’une « défaite pour toute la nation ».',
        'C’est “une victoire historique pour le peuple”, a déclaré le président.',
      ],
      ['Le chantier a coûté 2,5 millions d’euros.', 'Le coût du chantier est de 2,5 milliards d’euros.'],
      ['Senghor fut élu président en 1961.', 'En septembre 1960, Senghor fut élu président.'],
      ['La tour mesure 303 mètres.', 'La tour mesure 330 mètres depuis la pose d’une antenne.'],
      ['Les trois quarts des élèves ont répondu.', 'Ont répondu : un quart des élèves de l’école.'],
    ],
  },
  ja: {
    right: [
      ['同社の売上高は1.2兆円に達した。', '同社の売上高は前年比10%増の1兆2000億円に達した。'],
      ['市の人口は約120万人である。', '市の人口は約1,200,000人で、県内で最も多い。'],
      ['開館日は2025年10月1日です。', '博物館の開館日は２０２５年１０月１日の予定です。'],
      ['価格は5〜10%上昇した。', '価格は5~10パーセント上昇したと発表した。'],
      ['社長は「品質が最も大切だ」と語った。', '「品質が最も大切だ」と社長は記者会見で語った。'],
      ['参加者の半数が賛成した。', '参加者の半数が計画に賛成したという。'],
      ['橋の長さは3,911メートルである。', '橋の長さは3911mで、世界最長の吊り橋だった。'],
      ['令和元年（2019年）に完成した。', '建物は2019年（令和元年）に完成した。'],
    ],
    wrong: [
      ['同社の売上高は1.5兆円に達した。', '同社の売上高は前年比10%増の1兆2000億円に達した。'],
      ['市の人口は約130万人である。', '市の人口は約1,200,000人で、県内で最も多い。'],
      ['開館日は2025年11月1日です。', '博物館の開館日は2025年10月1日です。'],
      ['価格は15%上昇した。', '価格は5%上昇したと発表した。'],
      ['社長は「速さがすべてに優先する」と語った。', '「品質が最も大切だ」と社長は記者会見で語った。'],
      ['橋の長さは3,119メートルである。', '橋の長さは3911メートルである。'],
      ['建物は2018年に完成した。', '建物は2019年に完成した。'],
      ['大阪の工場は来年閉鎖される。', '橋の長さは3911メートルで、世界最長の吊り橋だった。'],
    ],
  },
  ar: {
    right: [
      ['يبلغ عدد سكان المدينة 1.2 مليون نسمة.', 'يبلغ عدد سكان المدينة ١٬٢٠٠٬٠٠٠ نسمة حسب آخر تعداد.'],
      ['ارتفعت الأسعار بنسبة 12.5% في عام 2023.', 'ارتفعت الأسعار في عام ٢٠٢٣ بنسبة ١٢٫٥ في المئة.'],
      ['افتتح المتحف في 1 نوفمبر 2022.', 'افتُتح المتحف في ١ نوفمبر ٢٠٢٢ بحضور الرئيس.'],
      ['قال الوزير: «لن نرفع الضرائب هذا العام».', 'وقال الوزير في المؤتمر: "لن نرفع الضرائب هذا العام".'],
      ['يبلغ طول الجسر 25 كيلومترا.', 'الجسر الذي يبلغ طوله ٢٥ كيلومتراً هو الأطول في المنطقة.'],
      ['بلغت التكلفة 3 مليارات دولار.', 'بلغت تكلفة المشروع ٣ مليارات دولار أمريكي.'],
      ['تأسست الشركة سنة 1998 في دبي.', 'تأسست الشركة في دبي سنة ١٩٩٨ على يد أخوين.'],
      ['شارك في المؤتمر 300 طبيب من 20 دولة.', 'شارك ٣٠٠ طبيب من ٢٠ دولة في المؤتمر.'],
    ],
    wrong: [
      ['يبلغ عدد سكان المدينة 1.5 مليون نسمة.', 'يبلغ عدد سكان المدينة ١٬٢٠٠٬٠٠٠ نسمة حسب آخر تعداد.'],
      ['ارتفعت الأسعار بنسبة 15% في عام 2023.', 'ارتفعت الأسعار في عام ٢٠٢٣ بنسبة ١٢٫٥ في المئة.'],
      ['افتتح المتحف في 2 نوفمبر 2022.', 'افتُتح المتحف في ١ نوفمبر ٢٠٢٢ بحضور الرئيس.'],
      ['قال الوزير: «سوف نغلق جميع المدارس غدا».', 'وقال الوزير في المؤتمر: "لن نرفع الضرائب هذا العام".'],
      ['يبلغ طول الجسر 52 كيلومترا.', 'الجسر الذي يبلغ طوله ٢٥ كيلومتراً هو الأطول في المنطقة.'],
      ['بلغت التكلفة 3 ملايين دولار.', 'بلغت تكلفة المشروع ٣ مليارات دولار أمريكي.'],
      ['تأسست الشركة سنة 1989 في دبي.', 'تأسست الشركة في دبي سنة ١٩٩٨ على يد أخوين.'],
      ['شارك في المؤتمر 350 طبيبا.', 'شارك ٣٠٠ طبيب من ٢٠ دولة في المؤتمر.'],
    ],
  },
  ru: {
    right: [
      [
        'В городе живёт около 1,2 млн человек.',
        'Население города составляет 1 200 000 человек; в городе живет треть области.',
      ],
      ['Цены выросли на 5–10 % за год.', 'За год цены выросли на 5-10 процентов, сообщили в ведомстве.'],
      ['Музей открылся 1 октября 2025 г.', '01.10.2025 музей открылся для посетителей.'],
      [
        'Министр заявил: «Налоги в этом году повышать не будем».',
        '"Налоги в этом году повышать не будем", - заявил министр.',
      ],
      [
        'Длина моста составляет 18,1 км.',
        'Мост длиной 18,1 километра соединил два берега. Длина моста составляет рекордную величину.',
      ],
      [
        'Выручка компании удвоилась до 3,4 млрд рублей.',
        'Компания удвоила выручку: она выросла до 3,4 миллиарда рублей. Выручка компании удвоилась.',
      ],
      ['Три четверти жителей поддержали проект.', 'Проект поддержали три четверти жителей района.'],
      ['Компания основана в 1998 году двумя братьями.', 'В 1998 г. компания была основана двумя братьями.'],
    ],
    wrong: [
      ['В городе живёт около 1,5 млн человек.', 'В городе живет 1 200 000 человек.'],
      ['Цены выросли на 15 % за год.', 'За год цены выросли на 5-10 процентов.'],
      ['Музей открылся 2 октября 2025 г.', '01.10.2025 музей открылся для посетителей.'],
      [
        'Министр заявил: «Мы закроем все школы завтра утром».',
        '"Налоги в этом году повышать не будем", - заявил министр.',
      ],
      ['Длина моста составляет 19,1 км.', 'Длина моста составляет 18,1 километра.'],
      ['Выручка составила 3,4 млн рублей.', 'Выручка составила 3,4 миллиарда рублей.'],
      ['Компания основана в 1989 году двумя братьями.', 'В 1998 г. компания была основана двумя братьями.'],
      ['В мае 2024 года мост закрыли.', 'В марте 2024 года мост закрыли.'],
    ],
  },
  hi: {
    right: [
      ['शहर की जनसंख्या 12 लाख है।', 'जनगणना के अनुसार शहर की जनसंख्या 12,00,000 है।'],
      ['कीमतें 12.5% बढ़ीं।', 'पिछले साल कीमतें १२.५ प्रतिशत बढ़ीं।'],
      ['संग्रहालय 1 अक्टूबर 2025 को खुला।', 'यह संग्रहालय १ अक्टूबर २०२५ को जनता के लिए खुला।'],
      ['मंत्री ने कहा, "इस साल कर नहीं बढ़ेंगे"।', 'मंत्री ने संसद में कहा, “इस साल कर नहीं बढ़ेंगे”।'],
      ['पुल की लंबाई 9.15 किलोमीटर है।', 'इस पुल की लंबाई 9.15 किमी है और यह देश का सबसे लंबा पुल है।'],
      ['परियोजना की लागत 3 करोड़ रुपये है।', 'परियोजना की कुल लागत 3,00,00,000 रुपये है।'],
      ['कंपनी की स्थापना 1998 में हुई थी।', 'कंपनी की स्थापना सन् १९९८ में दो भाइयों ने की थी।'],
      ['सम्मेलन में 300 डॉक्टर शामिल हुए।', 'सम्मेलन में ३०० डॉक्टर शामिल हुए थे।'],
    ],
    wrong: [
      ['शहर की जनसंख्या 15 लाख है।', 'जनगणना के अनुसार शहर की जनसंख्या 12,00,000 है।'],
      ['कीमतें 15% बढ़ीं।', 'पिछले साल कीमतें १२.५ प्रतिशत बढ़ीं।'],
      ['संग्रहालय 2 अक्टूबर 2025 को खुला।', 'यह संग्रहालय १ अक्टूबर २०२५ को जनता के लिए खुला।'],
      ['मंत्री ने कहा, "सभी विद्यालय कल बंद रहेंगे"।', 'मंत्री ने संसद में कहा, “इस साल कर नहीं बढ़ेंगे”।'],
      ['पुल की लंबाई 8.15 किलोमीटर है।', 'इस पुल की लंबाई 9.15 किलोमीटर है।'],
      ['परियोजना की लागत 3 लाख रुपये है।', 'परियोजना की कुल लागत 3 करोड़ रुपये है।'],
      ['कंपनी की स्थापना 1989 में हुई थी।', 'कंपनी की स्थापना सन् १९९८ में दो भाइयों ने की थी।'],
      ['सम्मेलन में 350 डॉक्टर शामिल हुए।', 'सम्मेलन में ३०० डॉक्टर शामिल हुए थे।'],
    ],
  },
  th: {
    right: [
      ['เมืองนี้มีประชากร 1.2 ล้านคน', 'จากการสำรวจ เมืองนี้มีประชากร 1,200,000 คน'],
      ['ราคาเพิ่มขึ้น 5–10%', 'ราคาเพิ่มขึ้น 5-10 เปอร์เซ็นต์เมื่อปีที่แล้ว'],
      ['พิพิธภัณฑ์เปิดเมื่อวันที่ 1 ตุลาคม 2568', 'พิพิธภัณฑ์เปิดให้เข้าชมเมื่อวันที่ ๑ ตุลาคม ๒๕๖๘'],
      ['รัฐมนตรีกล่าวว่า “ปีนี้จะไม่ขึ้นภาษี”', 'รัฐมนตรีกล่าวว่า "ปีนี้จะไม่ขึ้นภาษี" ในที่ประชุม'],
      ['สะพานมีความยาว 2,450 เมตร', 'สะพานแห่งนี้มีความยาว 2450 ม. และกว้าง 20 เมตร'],
      ['บริษัทก่อตั้งในปี 1998', 'บริษัทก่อตั้งในปี ๑๙๙๘ โดยพี่น้องสองคน'],
      ['ผู้เข้าร่วมประชุม 300 คน', 'มีผู้เข้าร่วมประชุม ๓๐๐ คนจาก 20 ประเทศ'],
      ['โครงการใช้งบประมาณ 3 พันล้านบาท', 'โครงการนี้ใช้งบประมาณ 3,000 ล้านบาท'],
    ],
    wrong: [
      ['เมืองนี้มีประชากร 1.5 ล้านคน', 'จากการสำรวจ เมืองนี้มีประชากร 1,200,000 คน'],
      ['ราคาเพิ่มขึ้น 15%', 'ราคาเพิ่มขึ้น 5-10 เปอร์เซ็นต์เมื่อปีที่แล้ว'],
      ['พิพิธภัณฑ์เปิดเมื่อวันที่ 2 ตุลาคม 2568', 'พิพิธภัณฑ์เปิดให้เข้าชมเมื่อวันที่ ๑ ตุลาคม ๒๕๖๘'],
      ['รัฐมนตรีกล่าวว่า “โรงเรียนทุกแห่งจะปิดพรุ่งนี้”', 'รัฐมนตรีกล่าวว่า "ปีนี้จะไม่ขึ้นภาษี" ในที่ประชุม'],
      ['สะพานมีความยาว 2,540 เมตร', 'สะพานแห่งนี้มีความยาว 2450 เมตร'],
      ['บริษัทก่อตั้งในปี 1989', 'บริษัทก่อตั้งในปี ๑๙๙๘ โดยพี่น้องสองคน'],
      ['ผู้เข้าร่วมประชุม 350 คน', 'มีผู้เข้าร่วมประชุม ๓๐๐ คนจาก 20 ประเทศ'],
      ['โครงการใช้งบประมาณ 3 ล้านบาท', 'โครงการนี้ใช้งบประมาณ 3,000 ล้านบาท'],
    ],
  },
}
