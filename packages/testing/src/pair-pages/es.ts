import type { PairPage } from './pair-page.ts'

export const es: readonly PairPage[] = [
  {
    half: 'tuning',
    page: `# El parque eólico de Sierra Parda entra en servicio

El parque eólico de Sierra Parda, en Aragón, empezó a producir el 17 de mayo de 2024. Sus 38 aerogeneradores, de 120 metros de altura, suman una potencia de 190 megavatios, suficiente para unos 110.000 hogares. La obra costó 214 millones de euros.

La empresa Eolia Norte lo construyó en 22 meses, dos menos de lo previsto. El ayuntamiento de Villaseca recibirá 640.000 euros al año; el de Torralba no recibirá nada. Las cuentas de Eolia Norte mejoraron: los beneficios subieron un 11 % y la deuda bajó a 1.300 millones.

En enero, el parque aguantó vientos de 142 kilómetros por hora y una temperatura de −16 °C. Ningún aerogenerador resultó dañado. Desde entonces no se han registrado averías.

La alcaldesa de Villaseca, Rosa Ibarra, demandó al presidente de la comarca, Luis Ferrer, por el reparto del dinero. «Nadie nos preguntó por dónde pasarían los camiones», declaró. El tribunal dio la razón a Ibarra. Ferrer había vencido a Ibarra en las primarias de 2019.

La cuota de la energía eólica en la región aumentó 3 puntos porcentuales, hasta el 41 %. Al menos 25 buitres han muerto, según los ecologistas. Las palas pesan 18 toneladas cada una. La segunda fase, prevista para antes de 2027, tendrá una docena de molinos más.`,
    right: [
      ['unit', 'El parque eólico de Sierra Parda suma una potencia de 0,19 gigavatios.'],
      ['form of number', 'Los treinta y ocho aerogeneradores tienen ciento veinte metros de altura.'],
      ['form of number', 'La segunda fase tendrá 12 molinos más y está prevista para antes de 2027.'],
      ['sign', 'En enero, el parque aguantó una temperatura de 16 grados bajo cero.'],
      ['negation', 'El ayuntamiento de Torralba no recibirá nada.'],
      ['swapped names', 'El presidente de la comarca, Luis Ferrer, fue demandado por la alcaldesa Rosa Ibarra.'],
      ['unit', 'Cada una de las palas pesa 18.000 kg.'],
    ],
    wrong: [
      ['unit', 'Los aerogeneradores de Sierra Parda suman una potencia de 190 kilovatios.'],
      ['antonym', 'Los beneficios de Eolia Norte bajaron un 11 %.'],
      ['swapped names', 'El presidente de la comarca, Luis Ferrer, demandó a la alcaldesa de Villaseca, Rosa Ibarra.'],
      ['percent', 'La cuota de la energía eólica en la región aumentó un 3 %, hasta el 41 %.'],
      ['negation', 'Desde entonces se han registrado averías en el parque.'],
      ['sign', 'En enero, el parque aguantó una temperatura de 16 °C.'],
      ['bound', 'Como máximo 25 buitres han muerto, según los ecologistas.'],
      ['currency', 'La obra costó 214 millones de dólares.'],
    ],
  },
  {
    half: 'held-out',
    page: `# El Atlético Marina elimina al Racing de Olmos

El Atlético Marina ganó el domingo por 2-0 al Racing de Olmos y jugará la final de la Copa el 28 de junio en Sevilla. Marcaron Iker Soto, a los siete minutos, y Bruno Paz. En la ida, el Racing había ganado 1-0. Asistieron 23.400 espectadores.

El Marina, fundado en 1924, no jugaba una final desde hacía 31 años. Su presupuesto es de 14 millones de euros, menos de la mitad que el del Racing, que ascendía a 37 millones. El entrenador, Mateo Lucena, no renovará su contrato.

Soto, de 1,75 metros y 68 kilos, sustituyó a Dani Cruz, lesionado antes del partido. El delantero llegó de México por 850.000 dólares. Cruz sufrió una rotura de 4 centímetros y estará de baja al menos seis semanas.

El Racing perdió un 8 % de sus socios en 2023, hasta quedarse en 19.200. La temperatura al final del encuentro era de 33 °C. La policía detuvo a más de veinte personas; el año anterior fueron unas cuarenta. El precio de las entradas subió 5 euros.

La presidenta del Racing, Elena Vidal, felicitó al presidente del Marina, Tomás Rey. «Hemos sido peores en todo», admitió Vidal. El césped se cortó a 22 milímetros. La final empezará a las 21:00, una hora más tarde que la del año pasado.`,
    right: [
      ['score', 'El Racing de Olmos perdió 0-2 contra el Atlético Marina el domingo.'],
      ['unit', 'El césped se cortó a 2,2 cm y Soto mide 175 centímetros.'],
      ['form of number', 'El Marina no jugaba una final desde hacía treinta y un años.'],
      ['swapped names', 'Dani Cruz, lesionado antes del partido, fue sustituido por Iker Soto.'],
      ['negation', 'El entrenador del Marina, Mateo Lucena, no renovará su contrato.'],
      ['unit', 'La temperatura al final del encuentro era de 91,4 °F.'],
      ['rounding', 'Asistieron más de 23.000 espectadores.'],
      [
        'swapped names',
        'El presidente del Marina, Tomás Rey, recibió la felicitación de la presidenta del Racing, Elena Vidal.',
      ],
    ],
    wrong: [
      ['score', 'El Atlético Marina ganó el domingo por 3-0 al Racing de Olmos.'],
      ['swapped names', 'Dani Cruz sustituyó a Iker Soto, lesionado antes del partido.'],
      ['negation', 'El entrenador, Mateo Lucena, renovará su contrato.'],
      ['currency', 'El delantero llegó de México por 850.000 euros.'],
      ['unit', 'Cruz sufrió una rotura de 4 milímetros y estará de baja seis semanas.'],
      ['antonym', 'La final empezará a las 21:00, una hora más temprano que la del año pasado.'],
      ['antonym', 'El Racing ganó un 8 % de socios en 2023, hasta llegar a 19.200.'],
    ],
  },
]
