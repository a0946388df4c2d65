/** A page in a language, and sentences about it with what is to be found of them. */
export interface CheckedLanguage {
  readonly page: string
  readonly right: readonly string[]
  /** Each with a figure or a date that the page does not have, and how that is named. */
  readonly wrong: readonly (readonly [sentence: string, missing: string])[]
  readonly invented: string
  readonly unrelated: string
}

export const languages: Readonly<Record<string, CheckedLanguage>> = {
  en: {
    page: `# Solar parks in Portugal

The Alqueva reservoir hosts Europe's largest floating solar park. It was opened on 4 May 2022 by EDP and has nearly 12,000 panels.

The park covers an area of four football pitches and produces 7.5 GWh a year, enough for 1,500 families. "We want to double it by the end of the decade," said Miguel Patena, the director in charge of the project.

The cost was €6 million, or 30 percent less than planned.`,
    right: [
      'The floating solar park on the Alqueva reservoir, opened by EDP on May 4, 2022, has nearly 12 000 panels.',
      'It produces 7.5 GWh per year, enough for 1.500 families, and cost 6,000,000 euros.',
      'The park cost 30% less than planned and covers the area of 4 football pitches.',
      'Miguel Patena, the director of the project, said: “We want to double it by the end of the decade”.',
    ],
    wrong: [
      ['The floating solar park on the Alqueva reservoir has nearly 15,000 panels.', '15,000'],
      ['The park was opened by EDP on 5 May 2022 on the Alqueva reservoir.', '5 May 2022'],
    ],
    invented: 'Director Miguel Patena said "we will never build another one of these parks" about the project.',
    unrelated: 'The new railway line between Madrid and Lisbon was delayed by labour strikes.',
  },
  de: {
    page: `# Windkraft in Brandenburg

Der Windpark Uckermark ging am 3. März 2024 ans Netz. Er besteht aus 24 Anlagen und liefert 1.250 Megawattstunden Strom pro Tag, genug für rund 130.000 Haushalte.

Die Kosten beliefen sich auf 85 Millionen Euro; das sind 12,5 Prozent mehr als geplant. „Wir haben den Zeitplan trotz aller Widrigkeiten eingehalten“, sagte die Projektleiterin Anna Krüger.`,
    right: [
      'Der Windpark Uckermark ging am 03.03.2024 ans Netz und besteht aus 24 Anlagen.',
      'Die Kosten des Windparks beliefen sich auf 85 Mio. Euro, 12,5 % mehr als geplant.',
      "Er liefert pro Tag 1'250 Megawattstunden Strom für rund 130 000 Haushalte.",
      'Die Projektleiterin Anna Krüger sagte: »Wir haben den Zeitplan trotz aller Widrigkeiten eingehalten«.',
    ],
    wrong: [['Der Windpark Uckermark besteht aus 42 Anlagen und ging 2024 ans Netz.', '42']],
    invented: 'Die Projektleiterin Anna Krüger sagte: „Der Bau war ein einziges Desaster für alle Beteiligten“.',
    unrelated: 'Die Bahnstrecke zwischen Hamburg und Hannover wird nächstes Jahr gesperrt.',
  },
  fr: {
    page: `# Le tramway de Caen

Le tramway de Caen a été inauguré le 27 juillet 2019. La ligne compte 37 stations sur 16,2 kilomètres et transporte 60 000 voyageurs par jour.

Le chantier a coûté 260 millions d'euros. « Ce réseau change la vie quotidienne des habitants », a déclaré Joël Bruneau, le maire de la ville.`,
    right: [
      'Inauguré le 27 juillet 2019, le tramway de Caen compte 37 stations sur 16,2 km.',
      'Il transporte 60.000 voyageurs par jour et le chantier a coûté 260 millions d’euros.',
    ],
    wrong: [['Le tramway de Caen compte 45 stations et a été inauguré en juillet 2019.', '45']],
    invented: 'Le maire Joël Bruneau a déclaré : « nous aurions dû garder les autobus à la place ».',
    unrelated: 'Le musée du Louvre a fermé ses portes pendant une grève du personnel.',
  },
  es: {
    page: `# El puente de Cádiz

El puente de la Constitución de 1812, en Cádiz, se abrió al tráfico el 24 de septiembre de 2015. Mide 3.092 metros y tiene 69 metros de altura libre sobre el mar.

Las obras costaron 511 millones de euros. «Es la mayor obra de ingeniería que ha visto esta ciudad», afirmó la ministra Ana Pastor.`,
    right: [
      'El puente de la Constitución de 1812 de Cádiz, abierto al tráfico el 24 de septiembre de 2015, mide 3092 metros.',
      'Las obras del puente costaron 511 millones de euros.',
    ],
    wrong: [['El puente de Cádiz mide 4.092 metros y tiene 69 metros de altura.', '4.092']],
    invented: 'La ministra Ana Pastor afirmó: «no volveremos a construir un puente tan caro en España».',
    unrelated: 'El aeropuerto de Valencia ampliará su terminal con dos nuevas puertas de embarque.',
  },
  ja: {
    page: `# 北陸新幹線

北陸新幹線の金沢・敦賀間は2024年3月16日に開業した。新たに6つの駅が設けられ、東京から福井まで最短2時間51分で結ばれる。

総事業費は約1兆6779億円である。「地域の観光に大きな効果が期待できる」と知事は述べた。`,
    right: [
      '北陸新幹線の金沢・敦賀間は２０２４年３月１６日に開業し、新たに6つの駅が設けられた。',
      '東京から福井までは最短2時間51分で結ばれる。',
    ],
    wrong: [
      ['北陸新幹線の金沢・敦賀間は2023年3月16日に開業した。', '2023年3月16日'],
      ['東京から福井まで最短3時間51分で結ばれる。', '3'],
    ],
    invented: '知事は「この計画はすぐに中止すべきである」と述べた。',
    unrelated: '大阪の博物館は来月から改修工事のため閉館する。',
  },
  zh: {
    page: `# 港珠澳大桥

港珠澳大桥于2018年10月24日正式通车，全长55公里，是世界上最长的跨海大桥。工程总投资约1269亿元人民币，桥面为双向六车道，设计速度每小时100公里。`,
    right: ['港珠澳大桥全长55公里，于2018年10月24日通车。', '大桥总投资约1269亿元，设计速度为每小时100公里。'],
    wrong: [['港珠澳大桥全长65公里，于2018年通车。', '65']],
    invented: '负责人表示：“这座大桥的质量存在严重的问题”。',
    unrelated: '北京大学将于明年开设新的人工智能课程。',
  },
  ru: {
    page: `# Мост в Волгограде

Мост через Волгу в Волгограде открыли 10 октября 2009 года. Его длина составляет 7110 метров, а строительство обошлось в 12,3 млрд рублей. По мосту проходит до 45 тысяч автомобилей в сутки.`,
    right: [
      'Строительство моста обошлось в 12,3 миллиарда рублей.',
      'Длина моста через Волгу в Волгограде — 7 110 метров.',
    ],
    wrong: [['Длина моста через Волгу в Волгограде составляет 8110 метров.', '8110']],
    invented: 'Губернатор сказал: «этот мост никогда не был нужен нашему городу».',
    unrelated: 'Московский театр объявил программу нового летнего сезона.',
  },
}
