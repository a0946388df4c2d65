import type { Subject } from '../page.ts'

export const honeyBees: Subject = {
  name: 'honey bees',
  about: 'bee, bees, honey, beehive, waggle',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/waggle-dance',
      title: 'The waggle dance of honey bees',
      publishedAt: '2026-04-14',
      text: `Honey bees dance to tell their nestmates where food is. A forager that has found flowers runs straight ahead on the comb and waggles, circles back, and runs again.

The angle of the run against the vertical is the angle of the flight against the sun. The longer the waggle run, the farther the flowers: one second stands for about one kilometre.

| Part of the dance | What it tells |
| direction of the run | direction of the flight, against the sun |
| length of the run | distance |
| number of runs | how good the food is |

## Near and far

For food close to the hive, bees do a round dance, which gives hardly any direction. The nestmates follow the dance in the dark of the hive by touch and by the vibrations of the comb.

## Who found out

Karl von Frisch decoded the dance in the 1940s. He received the Nobel Prize in Physiology or Medicine of 1973 for it, together with Konrad Lorenz and Nikolaas Tinbergen.`,
    },
    {
      site: 'almanac.csp.example',
      path: '/animals/bee-colony',
      title: 'A honey bee colony in figures',
      publishedAt: '2026-05-19',
      text: `A honey bee colony has one queen, some hundred drones and, in summer, 20,000 to 60,000 workers. The queen lays up to 2,000 eggs a day in early summer.

| | Queen | Worker | Drone |
| from egg to adult | 16 days | 21 days | 24 days |
| lives | two to five years | six weeks in summer | some weeks |
| task | lays eggs | all other work | mates with a queen |

## Winter

Workers that hatch in autumn live for several months. In winter the bees form a cluster around the queen and keep warm by shivering with their flight muscles. A colony does not sleep through the winter, so it needs honey all the time.

## Warmth and honey

Bees keep their brood at about 35 °C all year when there is brood. Honey may contain up to 20% water in the European Union.`,
    },
  ],
}
