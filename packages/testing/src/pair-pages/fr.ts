import type { PairPage } from './pair-page.ts'

export const fr: readonly PairPage[] = [
  {
    half: 'tuning',
    page: `# Le glacier de Valsenne a perdu un tiers de sa longueur

Le glacier de Valsenne, dans les Alpes, mesure aujourd'hui 4,2 kilomètres, contre 6,3 km en 1950. Son front recule de 35 mètres par an, selon le rapport publié le 12 septembre 2024 par l'université de Grenoble. Son épaisseur moyenne a diminué de 48 mètres.

L'été dernier, le thermomètre est monté jusqu'à 14 °C à 3 100 mètres d'altitude ; en février, il était descendu à −27 °C. Les précipitations n'ont pas augmenté. Le refuge, construit avant la guerre, n'est plus accessible depuis la vallée.

« Nous avons assisté à un effondrement que personne n'attendait », explique la glaciologue Claire Morvan, qui a remplacé Étienne Duval à la tête du laboratoire. Duval a accusé Morvan d'avoir exagéré les chiffres ; une commission a rejeté ses accusations.

La fonte alimente un lac de 1,6 million de mètres cubes. Pour éviter une crue, la commune a payé 750 000 euros un tunnel de 320 mètres, long de trois mois de travaux. Au moins 60 familles avaient été évacuées. La part de l'État a progressé de 5 points de pourcentage, à 45 %.

Le nombre de visiteurs a baissé de 22 % en dix ans, à 130 000 par an. L'équipe de hockey de la vallée, battue 5-2 par Briançon, joue désormais dans une salle.`,
    right: [
      ['unit', 'Le front du glacier de Valsenne recule de 0,035 km par an.'],
      ['sign', 'En février, le thermomètre était descendu à moins 27 degrés.'],
      ['form of number', 'La commune a payé sept cent cinquante mille euros un tunnel de 320 m.'],
      ['negation', 'Le refuge, qui date d’avant la guerre, n’est plus accessible depuis la vallée.'],
      ['swapped names', 'Étienne Duval a été remplacé par Claire Morvan à la tête du laboratoire.'],
      ['percent', 'La part de l’État a progressé de cinq points, à 45 pour cent.'],
      ['dates', 'Le rapport de l’université de Grenoble a été publié le 12/09/2024.'],
      ['score', 'L’équipe de hockey de la vallée a perdu 2-5 contre Briançon.'],
    ],
    wrong: [
      ['unit', 'Le front du glacier de Valsenne recule de 35 centimètres par an.'],
      ['sign', 'En février, le thermomètre était à 27 °C à 3 100 mètres d’altitude.'],
      ['negation', 'Le refuge est accessible depuis la vallée.'],
      ['antonym', 'Le nombre de visiteurs a augmenté de 22 % en dix ans, à 130 000 par an.'],
      ['swapped names', 'Étienne Duval a remplacé Claire Morvan à la tête du laboratoire.'],
      ['percent', 'La part de l’État a progressé de 5 %, à 45 %.'],
      ['exponent', 'La fonte alimente un lac de 1,6 milliard de mètres cubes.'],
    ],
  },
  {
    half: 'held-out',
    page: `# Airel Motors ouvre une usine de batteries à Dunes

Le constructeur Airel Motors a inauguré mardi 3 juin 2025 une usine de batteries à Dunes, dans le Nord. Le site couvre 64 hectares et emploiera 1 800 personnes d'ici à 2028. L'investissement atteint 2,1 milliards d'euros, dont un cinquième d'argent public.

Chaque batterie pèse 410 kilogrammes et offre une autonomie de 520 kilomètres. Elle se recharge en moins de 25 minutes et supporte des températures de −30 à 50 °C. Sa capacité est de 82 kilowattheures. Elle ne contient pas de cobalt.

Airel a vendu 312 000 voitures en 2024, soit 9 % de plus qu'en 2023. Son concurrent Norvex en a vendu 287 000, en recul de 4 %. L'action Airel a gagné 3,2 % à la Bourse de Paris, à 46,50 euros ; le chiffre d'affaires s'élève à 11 milliards de dollars.

« Nous n'importerons plus de cellules d'Asie après 2027 », a promis la directrice générale, Inès Carbonel. Elle a succédé à Paul Rivoire, que le conseil avait écarté. Le syndicat a refusé l'accord sur le temps de travail par 640 voix contre 415.

La ministre de l'Industrie, Louise Tessier, a félicité le maire, Karim Benali. L'usine consommera jusqu'à 300 mégawatts. Les voisins craignent le bruit : plus de 2 000 habitants ont signé une pétition avant l'ouverture.`,
    right: [
      ['unit', 'Chaque batterie d’Airel pèse 0,41 tonne et offre une autonomie de 520 km.'],
      [
        'form of number',
        'L’usine emploiera mille huit cents personnes d’ici à 2028 et couvre soixante-quatre hectares.',
      ],
      ['negation', 'La batterie, d’une capacité de 82 kWh, ne contient pas de cobalt.'],
      ['swapped names', 'Paul Rivoire, écarté par le conseil, a eu pour successeur Inès Carbonel.'],
      ['exponent', 'L’investissement atteint 2 100 millions d’euros, dont 20 % d’argent public.'],
      ['bound', 'La batterie se recharge en moins de 25 min.'],
      ['score', 'Par 640 voix contre 415, le syndicat a refusé l’accord sur le temps de travail.'],
    ],
    wrong: [
      ['unit', 'Chaque batterie pèse 410 grammes et offre une autonomie de 520 kilomètres.'],
      ['currency', 'Le chiffre d’affaires d’Airel s’élève à 11 milliards d’euros.'],
      ['negation', 'La batterie d’Airel contient du cobalt.'],
      ['swapped names', 'Le maire, Karim Benali, a félicité la ministre de l’Industrie, Louise Tessier.'],
      ['antonym', 'Airel a vendu 312 000 voitures en 2024, soit 9 % de moins qu’en 2023.'],
      ['swapped numbers', 'Le syndicat a refusé l’accord par 415 voix contre 640.'],
      ['sign', 'La batterie supporte des températures de 30 à 50 °C.'],
      ['bound', 'La batterie se recharge en plus de 25 minutes.'],
    ],
  },
]
