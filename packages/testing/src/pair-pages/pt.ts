import type { PairPage } from './pair-page.ts'

export const pt: readonly PairPage[] = [
  {
    half: 'tuning',
    page: `# Inflação recua em julho, mas alimentos sobem

A inflação no Brasil caiu para 4,2% em julho, informou o instituto de estatística em 9 de agosto de 2024. Em junho, a taxa era de 4,9%. A queda de 0,7 ponto percentual surpreendeu os analistas. O preço dos alimentos subiu 1,8% e o da gasolina recuou 3,5%.

O banco central não alterou a taxa de juros, que permanece em 10,5%. O presidente do banco, Otávio Nunes, criticou o ministro Sérgio Prado, que pedia um corte. "Não vamos ceder a pressões de curto prazo", disse Nunes. A reunião durou quatro horas.

O dólar fechou a 5,47 reais, a menor cotação desde maio. As exportações somaram US$ 30,9 bilhões; as importações, US$ 23,2 bilhões. A safra de soja chegou a 147 milhões de toneladas. Um saco de 60 quilos custava 132 reais em Santos.

No sul, a geada destruiu ao menos 40 mil hectares de café. Em São Joaquim, os termômetros marcaram 6 graus negativos. A cooperativa Serra Azul ganhou o leilão e a Campo Novo perdeu. O governo já não paga o seguro rural desde abril.

O salário médio é de R$ 3.120, um aumento de 5% antes dos impostos. Um terço dos trabalhadores, porém, recebe menos de R$ 1.800. A viagem de um caminhão de 27 metros até o porto leva três dias.`,
    right: [
      ['unit', 'A safra de soja chegou a 147 bilhões de quilos.'],
      ['sign', 'Em São Joaquim, os termômetros marcaram −6 °C.'],
      ['percent', 'A inflação caiu 0,7 ponto percentual, de 4,9% em junho para 4,2% em julho.'],
      ['negation', 'A taxa de juros, de 10,5%, não foi alterada pelo banco central.'],
      ['swapped names', 'O ministro Sérgio Prado foi criticado pelo presidente do banco, Otávio Nunes.'],
      ['currency', 'As exportações somaram 30,9 bilhões de dólares.'],
      ['form of number', 'A geada destruiu ao menos quarenta mil hectares de café no sul.'],
      ['unit', 'A reunião do banco central durou 240 minutos.'],
    ],
    wrong: [
      ['antonym', 'O preço dos alimentos caiu 1,8% em julho.'],
      ['swapped names', 'O ministro Sérgio Prado criticou o presidente do banco, Otávio Nunes.'],
      ['negation', 'O banco central alterou a taxa de juros.'],
      ['currency', 'As exportações somaram R$ 30,9 bilhões.'],
      ['sign', 'Em São Joaquim, os termômetros marcaram 6 graus.'],
      ['unit', 'Um saco de 60 gramas custava 132 reais em Santos.'],
      ['percent', 'A inflação teve uma queda de 0,7% em julho, que surpreendeu os analistas.'],
    ],
  },
  {
    half: 'held-out',
    page: `# Metro do Porto abre a linha Rosa

A linha Rosa do Metro do Porto abriu ao público a 8 de março de 2025, catorze meses depois do previsto. Tem quatro estações e 3,1 quilómetros, quase todos em túnel, a uma profundidade de até 28 metros. A obra custou 305 milhões de euros.

Os comboios passam a cada 6 minutos e transportam no máximo 240 passageiros. A velocidade média é de 26 km/h. A linha não funciona de madrugada. Nos primeiros dez dias foram vendidos 412 mil bilhetes, mais do que na linha Verde, que vendeu 388 mil.

O presidente da empresa, Duarte Leal, convidou a antiga vereadora Marta Pires para a cerimónia. Pires derrotou Leal nas eleições de 2017 por 1.250 votos. "Esta cidade já não cabe nos autocarros", afirmou Leal.

A escavadora, com 92 toneladas, foi fabricada na China. Um bilhete custa 1,40 euros; com o passe, os estudantes pagam menos 25%. O ruído diminuiu 4 decibéis na rua de Ceuta. O número de acidentes não diminuiu.

A segunda fase, que liga a Boavista a Gaia, recebeu 120 milhões de dólares do banco asiático. A procura deve subir dois pontos percentuais por ano. Um estudo da universidade prevê menos 9 mil automóveis por dia. Em janeiro, obras pararam com −2 °C.`,
    right: [
      ['unit', 'A linha Rosa tem quatro estações e 3.100 metros, quase todos em túnel.'],
      ['form of number', 'A linha abriu 14 meses depois do previsto e tem 4 estações.'],
      ['negation', 'De madrugada, a linha Rosa não funciona.'],
      ['swapped names', 'Nas eleições de 2017, Duarte Leal foi derrotado por Marta Pires por 1250 votos.'],
      ['bound', 'Os comboios transportam até 240 passageiros e passam de 6 em 6 minutos.'],
      ['dates', 'A linha Rosa do Metro do Porto abriu ao público em 08/03/2025.'],
      ['unit', 'A escavadora de 92.000 kg foi fabricada na China.'],
    ],
    wrong: [
      ['unit', 'A linha Rosa tem quatro estações e 3,1 metros, quase todos em túnel.'],
      ['swapped names', 'Duarte Leal derrotou Marta Pires nas eleições de 2017 por 1.250 votos.'],
      ['negation', 'O número de acidentes diminuiu.'],
      ['antonym', 'Com o passe, os estudantes pagam mais 25%.'],
      ['currency', 'A segunda fase, que liga a Boavista a Gaia, recebeu 120 milhões de euros do banco asiático.'],
      ['bound', 'Os comboios passam a cada 6 minutos e transportam no mínimo 240 passageiros.'],
      ['sign', 'Em janeiro, as obras pararam com 2 °C.'],
      [
        'swapped numbers',
        'Nos primeiros dez dias foram vendidos 388 mil bilhetes, mais do que na linha Verde, que vendeu 412 mil.',
      ],
    ],
  },
]
